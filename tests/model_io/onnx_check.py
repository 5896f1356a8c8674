"""Checks FOLDER/model.onnx with onnx.checker and tells what is in it, lines of "name value".

usage: onnx_check.py FOLDER
"""
import json
import sys

import onnx

model = onnx.load(sys.argv[1] + "/model.onnx")
onnx.checker.check_model(model, full_check=True)

shapes = {value.name: value.type.tensor_type
          for value in [*model.graph.input, *model.graph.output]}
assert list(shapes) == ["features", "scores", "labels", "probabilities"], list(shapes)
types = [shapes[name].elem_type for name in shapes]
assert types == [onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT, onnx.TensorProto.INT64,
                 onnx.TensorProto.FLOAT], types
for tensor in shapes.values():
    assert tensor.shape.dim[0].dim_param == "rows", tensor

facts = {entry.key: entry.value for entry in model.metadata_props}
print("features", shapes["features"].shape.dim[1].dim_value)
print("labels", shapes["scores"].shape.dim[1].dim_value)
print("opset", {opset.domain: opset.version for opset in model.opset_import}[""])
print("label_names", len(json.loads(facts["label_names"])))
print("feature_names", len(json.loads(facts["feature_names"])))
print("thresholds", len(json.loads(facts["thresholds"])))
print(facts["method"], 1)
