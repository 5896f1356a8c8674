"""Models and checkpoints whose header says extreme things, sealed again so that a reader gets to it."""
import json
import math
import struct
import zlib

NUMBERS = [0, 1, 2, -1, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1,
           1.5, -0.0, 1e308, -1e308, 1e-320, 10**30]
TEXTS = ["", " ", "0", "1", "-1", "1.5", "2147483648", "4294967296", "9223372036854775807",
         "18446744073709551616", "1e999", "-1e999", "nan", "inf", "true", "no such thing",
         "x" * 100000, "a\u0000b", "\u202e", "../../x", "minmax", "standard", "none", "forest",
         "pml-gan", "blend"]
FLOATS = [math.nan, math.inf, -math.inf, 3.4e38, -3.4e38, 1e-45, 0.0, -1.0, 1e30, 2.0**31, -2.0**31]
OTHER_KINDS = [None, True, [], {}, "text", 7, [[]], {"a": 1}]
ALIGNED = 64


def header_of(data):
    size, = struct.unpack_from("<I", data, 12)
    return json.loads(data[24:24 + size])


def sealed(magic, version, header, tensors):
    """A file whose lengths, offsets of tensors and checksum are right, but for what the header says."""
    text = json.dumps(header).encode()
    body = bytearray(magic + struct.pack("<IIQ", version & 0xFFFFFFFF, len(text), 0) + text)
    body += bytes(-len(body) % ALIGNED) + tensors
    body[16:24] = struct.pack("<Q", len(body) + 4)
    return bytes(body) + struct.pack("<I", zlib.crc32(bytes(body)))


def some_path(draw, value):
    """A place in the header. Every key has the same chance, however long the lists beside it are."""
    path = ()
    while isinstance(value, (dict, list)) and value and (not path or draw.random() < 0.85):
        step = draw.choice(sorted(value) if isinstance(value, dict) else range(len(value)))
        path, value = (*path, step), value[step]
    return path


def at(value, path):
    for step in path:
        value = value[step]
    return value


def extreme(draw, value):
    """Something else in its place: mostly of the same kind."""
    if draw.random() < 0.1:
        return draw.choice(OTHER_KINDS)
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        near = [value + 1, value - 1, value * 2]
        return draw.choice(NUMBERS + near * 2)
    if isinstance(value, str):
        return draw.choice(TEXTS)
    if isinstance(value, list):
        return draw.choice([[], value[:-1], value + value[-1:], value * 2, list(reversed(value))])
    if isinstance(value, dict):
        if not value or draw.random() < 0.3:
            return {**value, "unheard of": draw.choice(TEXTS)}
        gone = draw.choice(sorted(value))
        return {key: inner for key, inner in value.items() if key != gone}
    return draw.choice(OTHER_KINDS)


def change_header(draw, header):
    path = some_path(draw, header)
    parent, last = at(header, path[:-1]), path[-1]
    before = parent[last]
    parent[last] = extreme(draw, before)
    where = "/".join(str(step) for step in path)
    return f"{where}: {shown(before)} -> {shown(parent[last])}"


def replace_everywhere(draw, header):
    """One number becomes another wherever it stands, as in a file that agrees with itself."""
    before = header.get("features")
    if not isinstance(before, int) or draw.random() < 0.3:
        before = len(header.get("label_names") or [])
    after = draw.choice([0, 1, before + 1, before * 2, 2**31, 2**32 + before, 2**62 + before,
                         2**63 + before])

    def changed(value):
        if isinstance(value, dict):
            return {key: changed(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [changed(inner) for inner in value]
        same = value == before and isinstance(value, int) and not isinstance(value, bool)
        return after if same else value
    for key in list(header):
        header[key] = changed(header[key])
    return f"every {before} -> {after}"


def wrap_a_shape(draw, header):
    """A shape whose number of values, or of bytes, is right only in 64 bits."""
    tensors = [t for t in header.get("tensors") or [] if isinstance(t, dict) and t.get("shape")]
    if not tensors:
        return "no shapes"
    tensor = draw.choice(tensors)
    shape = list(tensor["shape"])
    if not all(isinstance(one, int) for one in shape):
        return "no shape of numbers"
    at_one = draw.randrange(len(shape))
    others = math.prod(shape[:at_one] + shape[at_one + 1:]) * draw.choice([1, 4])
    shape[at_one] += 2**64 // max(1, others & -others)
    tensor["shape"] = shape
    return f"{tensor.get('name')} has the shape {shape}"


def shown(value):
    text = json.dumps(value)
    return text if len(text) < 40 else text[:37] + "..."


def change_tensors(draw, tensors):
    for _ in range(draw.choice([1, 1, 3, 50])):
        if len(tensors) < 4:
            return "no tensors"
        at_float = draw.randrange(len(tensors) // 4) * 4
        value = struct.pack("<f", draw.choice(FLOATS))
        if draw.random() < 0.5:  # one that stands elsewhere, such as the number of another node
            other = draw.randrange(len(tensors) // 4) * 4
            value = tensors[other:other + 4]
        tensors[at_float:at_float + 4] = value
    return f"a weight is {struct.unpack('<f', value)[0]}"


def resealed(draw, data):
    """The file with some changes, and what they are."""
    header = header_of(data)
    first = 24 + struct.unpack_from("<I", data, 12)[0]
    first += -first % ALIGNED
    tensors = bytearray(data[first:-4])
    version, = struct.unpack_from("<I", data, 8)
    magic, told = data[:8], []
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        kind = draw.random()
        if kind < 0.55 and header:
            told.append(change_header(draw, header))
        elif kind < 0.65:
            told.append(replace_everywhere(draw, header))
        elif kind < 0.75:
            told.append(wrap_a_shape(draw, header))
        elif kind < 0.9:
            told.append(change_tensors(draw, tensors))
        elif kind < 0.95:
            version = draw.choice([0, 1, 2, 3, 255, 2**31, 2**32 - 1])
            told.append(f"version {version}")
        else:
            magic = draw.choice([b"SIEVEMDL", b"SIEVECKP"])
            told.append(f"it begins with {magic.decode()}")
    shift_offsets(header, first, len(json.dumps(header).encode()) + 24)
    return sealed(magic, version, header, bytes(tensors)), "; ".join(told)


def shift_offsets(header, before, size):
    """Tensors move with the length of the header; offsets that are no longer numbers stay."""
    by = size + -size % ALIGNED - before
    tensors = header.get("tensors") if isinstance(header, dict) else None
    for tensor in tensors if isinstance(tensors, list) else []:
        offset = tensor.get("offset") if isinstance(tensor, dict) else None
        if isinstance(offset, int) and not isinstance(offset, bool) and offset < 2**31:
            tensor["offset"] = offset + by
