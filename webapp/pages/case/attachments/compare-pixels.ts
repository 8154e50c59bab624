/** The pixels of a picture: four bytes each, row by row. */
export type Pixels = { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray }

const FADED = 0.25
const MARK = [0xd9, 0x26, 0x1c, 0xff] as const

/**
 * Compares two pictures pixel by pixel from their upper left corners. What only one of them has differs. `marked` is the second one, faded, with the
 * differing pixels in red.
 */
export const comparePixels = (a: Pixels, b: Pixels) => {
  const [width, height] = [Math.max(a.width, b.width), Math.max(a.height, b.height)]
  const marked = new Uint8ClampedArray(4 * width * height)
  const [of, to] = [wordsOf(a), wordsOf(b)]
  let differing = 0
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const isInA = x < a.width && y < a.height
      const isInB = x < b.width && y < b.height
      const at = y * width + x
      if (isInA && isInB && of[y * a.width + x] === to[y * b.width + x]) {
        const from = 4 * (y * b.width + x)
        for (let i = 0; i < 3; i++) marked[4 * at + i] = 255 - FADED * (255 - (b.data[from + i] ?? 0))
        marked[4 * at + 3] = 255
      } else {
        differing++
        marked.set(MARK, 4 * at)
      }
    }
  return { width, height, differing, pixels: width * height, marked }
}
export type PixelDifferences = ReturnType<typeof comparePixels>

const wordsOf = ({ data }: Pixels): Uint32Array => new Uint32Array(data.buffer, data.byteOffset, data.length / 4)
