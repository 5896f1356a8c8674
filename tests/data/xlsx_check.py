"""Writes a workbook of six sheets as people keep them: three raters, six labels, dates."""
import datetime
import sys

import openpyxl

EMOTIONS = ["anger", "disgust", "fear", "joy", "sadness", "surprise"]
book = openpyxl.Workbook()
book.remove(book.active)
for week in range(6):
    sheet = book.create_sheet(f"week {week + 1}")
    sheet.append(["item", "rater", "date", *EMOTIONS])
    for item in range(10):
        for number, rater in enumerate(["Ann", "Bob", "Cem"]):
            ticks = [int((item + number * k) % 4 == 0) for k in range(6)]
            sheet.append([f"text {week}-{item}", rater,
                          datetime.datetime(2024, 3, 1 + week, 9, 30), *ticks])
book.save(sys.argv[1] + "/six.xlsx")
print("sheets 6")
total = sum(int((item + number * k) % 4 == 0) for item in range(10) for number in range(3)
            for k in range(6)) * 6
print("ticks", total)
