"""Reads what the program wrote with NumPy and SciPy, and writes files of theirs beside it."""
import sys

import numpy
import scipy.sparse

folder = sys.argv[1] + "/"
ours = numpy.load(folder + "ours.npz")
sparse = scipy.sparse.load_npz(folder + "sparse.npz")
good = (ours["X"].dtype == numpy.float32 and ours["X"][2, 1] == -2
        and ours["truth"].tolist() == [[True, False], [False, True], [True, False]]
        and ours["ids"].tolist() == ["r1", "r2", "r3"]
        and ours["label_names"][0] == "s\u00fc\u00df" and sparse.toarray()[0, 0] == 1.5)
print("good", int(good))

x = numpy.arange(12, dtype=numpy.float64).reshape(3, 4)
y = numpy.array([[1, 0], [0, 1], [1, 1]])
numpy.savez(folder + "plain.npz", X=x, Y=y)
numpy.savez_compressed(folder + "packed.npz", X=numpy.asfortranarray(x), Y=y,
                       other=numpy.array([object()] * 3))
scipy.sparse.save_npz(folder + "theirs.npz", scipy.sparse.csr_matrix(x))
scipy.sparse.save_npz(folder + "columns.npz", scipy.sparse.csc_matrix(x))
numpy.save(folder + "y.npy", y)
