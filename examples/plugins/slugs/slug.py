import json
import re
import sys
import unicodedata

given = json.load(sys.stdin)
plain = unicodedata.normalize("NFKD", given["title"]).encode("ascii", "ignore").decode("ascii")
slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[: given.get("max_length", 60)].rstrip("-")
if slug == "":
    print(f"nothing is left of {given['title']!r}", file=sys.stderr)
    sys.exit(1)
print(slug)
