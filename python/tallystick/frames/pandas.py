# SPDX-License-Identifier: Apache-2.0
"""pandas: the accessor `tally` of DataFrame and Series; `tallystick.adapters.pandas` converts.

`Protector.protect` takes frames too; the accessor takes tokenizers and formats as well.
"""

import pandas as pd

from tallystick.frames.accessors import FrameAccessor, SeriesAccessor

__all__ = ["TallyFrame", "TallySeries"]


@pd.api.extensions.register_series_accessor("tally")
class TallySeries(SeriesAccessor["pd.Series[object]"]):
    """``series.tally``."""


@pd.api.extensions.register_dataframe_accessor("tally")
class TallyFrame(FrameAccessor[pd.DataFrame]):
    """``frame.tally``."""
