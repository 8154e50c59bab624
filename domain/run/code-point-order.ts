/**
 * The order of the texts' UTF-8 bytes, which is that of their code points: the order of the storages, so that pages and
 * comparisons agree. UTF-16 differs from it in one thing: surrogates, which stand for the highest code points, are not
 * the highest units.
 */
export const byCodePoint = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit)
