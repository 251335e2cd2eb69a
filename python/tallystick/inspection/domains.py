# SPDX-License-Identifier: Apache-2.0
"""How large the domains of a column's values are."""

from collections import Counter

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tallystick.formats import Format
from tallystick.formats.format import is_text
from tallystick.inspection.distinct import as_text


def domain_sizes(form: Format, values: pa.Array, status: npt.NDArray[np.uint8]) -> Counter[int]:
    """Count fitting values by the size of their domain; those of one length count as alike.

    Parameters
    ----------
    status : numpy.ndarray of uint8, shape (rows,)
        As in `tallystick.formats.Outcome`.
    """
    if not is_text(values.type):
        fitting = int(np.count_nonzero(status == 0)) - values.null_count
        size = form.smallest_domain
        return Counter() if size is None or not fitting else Counter({size: fitting})
    texts = as_text(values.filter(pa.array(status == 0)).drop_null())
    lengths = pc.utf8_length(texts).to_numpy(zero_copy_only=False)
    found: Counter[int] = Counter()
    _, places, counts = np.unique(lengths, return_index=True, return_counts=True)
    for place, count in zip(places.tolist(), counts.tolist(), strict=True):
        size = form.domain_of(texts[place].as_py())
        if size is not None:
            found[size] += count
    return found


def usual_size(sizes: Counter[int]) -> int | None:
    """Return the size that most values have; of several the largest."""
    return max(sizes, key=lambda size: (sizes[size], size), default=None)
