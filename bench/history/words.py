"""Words with a realistic distribution: a few are very common, most are rare."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy

_COMMON = (
    "the of and to a in is it that for this with on as are be not we have from by or an at can if "
    "but will was all when so which there use has they do then one no up out what about into more "
    "now should only new some these its also how let would need after here been any before other "
    "file test error function value line code change run check return name list call type add read "
    "write first each path case data make set get same default string result work look fix build "
    "class module import update time find does still because fails passes where instead without "
    "since both already while through next last old done against every under between once again"
)
COMMON = _COMMON.split()
_ONSETS = "b br c ch cl d dr f fl g gr h k l m n p pl pr qu r s sh sl st t th tr v w"
ONSETS = _ONSETS.split()
_NUCLEI = "a e i o u a e i o ea ou ai ie oo"
NUCLEI = _NUCLEI.split()
CODAS = ["", "", "", "n", "r", "s", "t", "l", "m", "nd", "ck", "ng", "st", "rt", "p"]
ENDINGS = ["", "", "", "ing", "ed", "er", "s", "ly", "tion", "able", "ment", "ness"]
_CJK = (
    "潮汐表 港 東京 関数 修正 変更 確認 実装 失敗 成功 設定 文字列 配列 返り値 テスト エラー "
    "を は が に の で と から まで です ます した して ください これ それ ため こと ので "
    "服务器 数据库 用户 配置 错误 修复 我们 需要 可以 一个 这个 没有 问题 代码 测试 运行 "
    "首先 其次 最后 文件 目录 请 检查 然后 新しい 古い ファイル"
)
CJK = _CJK.split()


class Weighted:
    """Draws from a list whose first members are far more frequent than its last."""

    def __init__(
        self, items: Sequence[str], exponent: float, random: numpy.random.Generator
    ) -> None:
        self._items = numpy.array(items, dtype=object)
        weights = 1.0 / (numpy.arange(len(items)) + 2.7) ** exponent
        self._edges = numpy.cumsum(weights / weights.sum())
        self._random = random

    def draw(self, count: int) -> list[str]:
        """Return this many of them."""
        places = numpy.searchsorted(self._edges, self._random.random(count))
        found: list[str] = self._items[numpy.minimum(places, len(self._items) - 1)].tolist()
        return found


def vocabulary(random: Random, size: int) -> list[str]:
    """Return words from the most common to the rarest; the rare ones are longer."""
    words = list(dict.fromkeys(COMMON))
    known = set(words)
    while len(words) < size:
        syllables = 1 + (random.random() < 0.75) + (random.random() < len(words) / size)
        word = "".join(
            random.choice(ONSETS) + random.choice(NUCLEI) + random.choice(CODAS)
            for _ in range(syllables)
        ) + random.choice(ENDINGS)
        if word not in known:
            known.add(word)
            words.append(word)
    return words


class Prose:
    """Running text, made in large blocks from recurring phrases."""

    PHRASES = 120_000
    BLOCK = 40_000

    def __init__(self, random: Random, numbers: numpy.random.Generator, words: list[str]) -> None:
        self._random = random
        drawn = iter(Weighted(words, 1.07, numbers).draw(self.PHRASES * 5))
        phrases = [
            self._phrase([next(drawn) for _ in range(random.randint(1, 4))])
            for _ in range(self.PHRASES)
        ]
        self._phrases = Weighted(phrases, 0.6, numbers)
        self._block = ""
        self._at = 0

    def take(self, size: int) -> str:
        """Return about this many characters that were never returned before."""
        if size > 400_000:
            return "\n".join(self.take(300_000) for _ in range(size // 300_000 + 1))
        if self._at + size > len(self._block):
            self._block = " ".join(self._phrases.draw(self.BLOCK))
            self._at = 0
        end = self._block.find(" ", self._at + size)
        end = len(self._block) if end < 0 else end
        text = self._block[self._at : end]
        self._at = end + 1
        return text

    def _phrase(self, words: list[str]) -> str:
        chance = self._random.random()
        text = " ".join(words)
        if chance < 0.10:
            return f"{text}. {self._random.choice(COMMON).capitalize()}"
        if chance < 0.13:
            return f"{text}.\n\n"
        if chance < 0.15:
            return f"\n- **{text}**:"
        if chance < 0.19:
            return f"`{'_'.join(words)}`"
        if chance < 0.25:
            return text + ","
        return text


def cjk(random: Random, size: int) -> str:
    """Return Japanese or Chinese text of about this many characters."""
    words = random.choices(CJK, k=max(2, size // 2))
    for at in range(7, len(words), 9):
        words[at] = "。" if at % 2 else "、"
    return "".join(words)
