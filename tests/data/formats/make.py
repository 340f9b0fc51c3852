"""Writes one table as many kinds of files; run with pandas, polars, pyarrow, zstandard in a virtual environment."""
import datetime, decimal, gzip, pathlib
import numpy, pandas, polars, pyarrow, pyarrow.feather, pyarrow.parquet, zstandard

here = pathlib.Path(__file__).parent
n = 40
i = numpy.arange(n)
frame = pandas.DataFrame({
    "size": numpy.sin(i) * 10,
    "count": (i * 7) % 11,
    "colour": [["red", "green", "blue"][k * k % 3] for k in i],
    "open": (i % 2 == 0),
    "gap": [None if k % 9 == 4 else k / 8 for k in i],
    "y": numpy.cos(i) + i / 10,
})
text = frame.to_csv(index=False)
(here / "plain.csv").write_text(text)
(here / "index.csv").write_text(frame.to_csv())
(here / "bars.psv").write_text(frame.to_csv(index=False, sep="|"))
(here / "text.csv.gz").write_bytes(gzip.compress(text[:300].encode(), mtime=0) + gzip.compress(text[300:].encode(), mtime=0))
(here / "text.csv.zst").write_bytes(zstandard.compress(text[:500].encode()) + zstandard.compress(text[500:].encode()))
for codec in ["zstd", "lz4", "brotli", "snappy", "gzip", "none"]:
    frame.to_parquet(here / f"pandas-{codec}.parquet", compression=None if codec == "none" else codec, index=False)
categories = frame.assign(colour=frame["colour"].astype("category"))
categories.to_parquet(here / "pandas-category.parquet", index=False)
categories.to_feather(here / "pandas.feather")
categories.to_feather(here / "pandas-zstd.feather", compression="zstd")
polars.from_pandas(frame).write_parquet(here / "polars.parquet")
polars.from_pandas(frame).write_ipc(here / "polars.arrow", compression="zstd")
polars.from_pandas(frame).write_ipc(here / "polars-lz4.ipc", compression="lz4")
polars.from_pandas(frame).with_columns(polars.col("colour").cast(polars.Categorical)).write_ipc(here / "polars-category.arrow")
# An index of words, which pandas writes last.
frame.set_index(pandas.Index([f"row {k}" for k in i])).to_parquet(here / "pandas-index.parquet")
frame.set_index(pandas.Index([f"row {k}" for k in i])).to_csv(here / "index-words.csv")

# Cells that are no numbers to compute with: infinities, and integers that doubles do not hold.
odd = pandas.DataFrame({"k": [[1.0, 2.0, numpy.inf, 4.0, -numpy.inf][k % 5] for k in i], "id": i * 3 + 2**60, "a": i, "y": numpy.cos(i) + i / 10})
odd.to_parquet(here / "odd.parquet", index=False)
odd.to_feather(here / "odd.feather")

# Types that become numbers or moments.
moments = [datetime.datetime(1969, 12, 31, 23, 59, 59, 999999), datetime.datetime(2024, 2, 29, 12, 30, 0, 250000), None]
D = decimal.Decimal
types = pyarrow.table({
    "date": pyarrow.array([datetime.date(1969, 12, 31), datetime.date(2024, 2, 29), None]),
    "millis": pyarrow.array([None if m is None else m.replace(microsecond=m.microsecond // 1000 * 1000) for m in moments], pyarrow.timestamp("ms")),
    "micros": pyarrow.array(moments, pyarrow.timestamp("us", tz="UTC")),
    "nanos": pyarrow.array([-1, 1709209800250000999, None], pyarrow.int64()).cast(pyarrow.timestamp("ns")),
    "elapsed": pyarrow.array([43200 * 10**9, -(10**9) * 86400, None], pyarrow.duration("ns")),
    "clock": pyarrow.array([datetime.time(6, 30), datetime.time(0, 0), None], pyarrow.time64("us")),
    "decimal": pyarrow.array([D("12.30"), D("-0.01"), None], pyarrow.decimal128(38, 2)),
    "small": pyarrow.array([D("12.30"), D("-0.01"), None], pyarrow.decimal128(7, 2)),
    "half": pyarrow.array(numpy.array([0.5, -2.0, numpy.nan], dtype=numpy.float16)),
    "nothing": pyarrow.array([None, None, None]),
    "list": pyarrow.array([[1], [2, 3], None]),
    "bytes": pyarrow.array([b"a", b"b", None]),
    "y": pyarrow.array([1.0, 2.0, 3.0]),
})
pyarrow.parquet.write_table(types, here / "types.parquet")
pyarrow.parquet.write_table(types, here / "types-small.parquet", store_decimal_as_integer=True)
pyarrow.feather.write_feather(types, here / "types.feather", compression="uncompressed")
pyarrow.parquet.write_table(types.select(["micros", "y"]), here / "int96.parquet", use_deprecated_int96_timestamps=True)
try:
    pyarrow.feather.write_feather(types.select(["y"]), here / "first.feather", version=1)
except Exception as problem:
    print(problem)
with pyarrow.ipc.new_stream(here / "stream.arrow", types.select(["y"]).schema) as stream:
    stream.write_table(types.select(["y"]))
