#!/usr/bin/env python3
"""check.py PAGE... - is a page well formed, and is it alone?

Elements nest; ids are unique and what refers to them finds them; SVG is XML;
nothing is fetched; only what the Content-Security-Policy names by its hash may
run. Prints what is wrong and exits with 1.
"""
import base64
import hashlib
import re
import sys
import xml.etree.ElementTree
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "input", "link"}
REFERS = ("aria-labelledby", "aria-describedby")


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.bad, self.stack, self.ids, self.refers = [], [], set(), []
        self.policy, self.code, self.rows = None, [], None
        self.in_code = False

    def say(self, text):
        self.bad.append("line %d: %s" % (self.getpos()[0], text))

    def handle_startendtag(self, tag, attrs):
        self.attributes(tag, dict(attrs))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.attributes(tag, attrs)
        if tag not in VOID:
            self.stack.append(tag)
        self.in_code = tag in ("script", "style") and "type" not in attrs
        if self.in_code:
            self.code.append("")
        if tag == "table":
            self.rows = []
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1

    def handle_endtag(self, tag):
        if not self.stack or self.stack[-1] != tag:
            self.say("</%s> ends <%s>" % (tag, self.stack[-1:]))
        else:
            self.stack.pop()
        self.in_code = False
        if tag == "table" and len(set(self.rows)) > 1:
            self.say("rows of %s cells" % sorted(set(self.rows)))

    def handle_data(self, data):
        if self.in_code:
            self.code[-1] += data

    def attributes(self, tag, attrs):
        for name, value in attrs.items():
            if name.startswith("on") or name in ("src", "srcset", "style"):
                self.say("<%s %s=%s>" % (tag, name, value))
            if name == "href" and not value.startswith("#"):
                self.say("<%s href=%s>" % (tag, value))
            if name == "href" or name in REFERS:
                self.refers += [(w.lstrip("#"), self.getpos()[0])
                                for w in value.split()]
        if "id" in attrs:
            if attrs["id"] in self.ids:
                self.say("id %s twice" % attrs["id"])
            self.ids.add(attrs["id"])
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]


def drawings(text):
    """Each SVG element, with those that are in it."""
    depth = start = 0
    for tag in re.finditer(r"<svg\b|</svg>", text):
        if tag[0] != "</svg>":
            start = start if depth else tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield text[start:tag.end()]


def check(path):
    text = open(path, encoding="utf-8").read()
    page = Page()
    page.feed(text)
    page.close()
    bad = page.bad
    if page.stack:
        bad.append("not ended: %s" % page.stack)
    bad += ["line %d: nothing has the id %s" % (line, name)
            for name, line in page.refers if name not in page.ids]
    for svg in drawings(text):
        try:
            xml.etree.ElementTree.fromstring(svg)
        except xml.etree.ElementTree.ParseError as e:
            bad.append("SVG: %s: %s" % (e, svg[:200]))
    if not page.policy or not page.policy.startswith("default-src 'none';"):
        bad.append("no policy")
        return bad
    wanted = {"'sha256-%s'" % base64.b64encode(
        hashlib.sha256(code.encode()).digest()).decode() for code in page.code}
    allowed = set(re.findall(r"'sha256-[^']*'", page.policy))
    if wanted != allowed or "unsafe" in page.policy:
        bad.append("the policy does not name what is there")
    outside = re.sub(r"<(script|style)>.*?</\1>", "", text, flags=re.S)
    if re.search(r"https?:|//\w+\.\w", outside):
        bad.append("an address: %s"
                   % re.search(r".{0,40}(https?:|//\w+\.\w).{0,40}", outside)[0])
    return bad


def main():
    failed = False
    for path in sys.argv[1:]:
        for line in check(path):
            print("%s: %s" % (path, line))
            failed = True
    sys.exit(failed)


main()
