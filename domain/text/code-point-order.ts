/**
 * Compares texts by code point, which is also the order of their UTF-8 bytes. Both databases sort in this order, so
 * that pages and comparisons agree. The order of UTF-16 units differs: surrogates encode the highest code points but
 * are not the highest units.
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
