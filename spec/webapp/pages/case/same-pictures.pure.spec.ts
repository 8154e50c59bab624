import { describe, expect, it } from 'vitest'
import type { EvidencePart } from '../../../../queries/evidence/evidence.ts'
import { comparePixels } from '../../../../webapp/pages/case/attachments/compare-pixels.ts'
import { samePicture } from '../../../../webapp/pages/case/attachments/same-pictures.ts'

const part = (name: string | null, sha256: string, more: Partial<EvidencePart> = {}): EvidencePart => ({
  sha256,
  bytes: 1,
  role: 'output',
  case_key: 'k',
  name,
  media_type: 'image/png',
  from: null,
  ...more,
})
const OWN = [part('a.png', '1'), part('log', '2', { media_type: 'text/plain' }), part('b.png', '3')]

describe('the same picture of another case', () => {
  it.each([
    ['has its name', 'b.png', [part('c.png', '8'), part('b.png', '9')], '9'],
    ['is at its place, if none has its name', 'b.png', [part('x.png', '7'), part('y.png', '8')], '8'],
    ['is not one that has the name of another picture', 'b.png', [part('x.png', '7'), part('a.png', '8')], undefined],
    ['is of the same role', 'a.png', [part('a.png', '7', { role: 'input' })], undefined],
    ['is a picture', 'a.png', [part('a.png', '7', { media_type: 'text/html' })], undefined],
  ])('%s', (_, name, others, wanted) => {
    const own = OWN.find((each) => each.name === name) ?? part('', '')
    expect(samePicture(own, OWN, others)?.sha256).toBe(wanted)
  })
})

describe('the pixels of two pictures', () => {
  const picture = (width: number, rows: readonly string[]) => ({
    width,
    height: rows.length,
    data: new Uint8ClampedArray(
      rows.flatMap((row) => [...row].flatMap((c) => (c === '#' ? [0, 0, 0, 255] : [255, 255, 255, 255]))),
    ),
  })
  it('are counted where they differ, and what only one has', () => {
    expect(comparePixels(picture(2, ['#.', '..']), picture(2, ['#.', '..']))).toMatchObject({ differing: 0, pixels: 4 })
    const found = comparePixels(picture(2, ['#.', '..']), picture(3, ['#..', '.#.']))
    expect(found).toMatchObject({ width: 3, height: 2, differing: 3, pixels: 6 })
    expect([...found.marked.slice(16, 20)]).toEqual([217, 38, 28, 255])
    expect([...found.marked.slice(0, 4)]).toEqual([191, 191, 191, 255])
  })
})
