import { describe, expect, it } from 'vitest'
import { readManifest } from '../../../domain/evidence/manifest.ts'
import { collectParts, type CollectedParts } from '../../../engine/evidence/case-parts.ts'
import { runManifest } from '../../../engine/evidence/manifest.ts'
import { partsRoom } from '../../../engine/evidence/parts-room.ts'
import { digestOf, noise } from '../../support/documents/parts.ts'
import { memoryParts } from '../../support/engine/memory-parts.ts'

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), noise(300)])
const url = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString('base64')}`

const entriesOf = ({ parts }: CollectedParts) =>
  readManifest(
    runManifest([{ case_key: 'c', parts }], () => {
      throw new Error('the manifest has no room')
    })!,
  ).entries

describe('the parts of a case', () => {
  it('a type that is none is replaced by what the bytes are', () => {
    const collected = collectParts(memoryParts())
    collected.move(
      { type: 'image_generation_call', result: PNG.toString('base64'), output_format: `x\0${'y'.repeat(300)}` },
      'output',
      'raw',
    )
    collected.add({ role: 'output', name: 'a', media_type: 'z'.repeat(300) }, noise(100, 2))
    expect(entriesOf(collected).map(({ media_type }) => media_type)).toEqual(['image/png', 'application/octet-stream'])
  })

  it('further transcripts than a manifest takes are left out', () => {
    const collected = collectParts(memoryParts())
    const added = Array.from({ length: 9 }, (_, n) =>
      collected.add({ role: 'transcript', name: 't', media_type: 'application/x-ndjson' }, Buffer.from(`{}\n${n}`)),
    )
    expect(added).toEqual([...Array.from({ length: 8 }, () => true), false])
    expect(entriesOf(collected)).toHaveLength(8)
  })

  it('a name that a redaction made too long is cut', () => {
    const folder = memoryParts()
    const [part] = entriesOf(
      collectParts(folder, [
        { sha256: folder.put(PNG)!, bytes: PNG.length, role: 'output', name: 'n'.repeat(500), media_type: 'image/png' },
      ]),
    )
    expect(part?.name).toHaveLength(400)
  })
})

describe('pictures of a run', () => {
  it('for which its manifest has no place stay in the document', () => {
    const folder = { ...memoryParts(), room: partsRoom(1) }
    const [first, second] = [noise(100, 3), noise(100, 4)].map(url)
    expect(collectParts(folder).move(first, 'output', 'output')).toBe(`part:${digestOf(noise(100, 3))}`)
    expect(collectParts(folder).move(second, 'output', 'output')).toBe(second)
  })

  it('in Markdown stay in texts that are shown, while the document has room', () => {
    const folder = memoryParts()
    const text = `![x](${url(Buffer.alloc(9_000_000, 5))})`
    const move = (isShown: boolean) => collectParts(folder).move(text, 'output', 'output', isShown)
    const named = `![x](part:${digestOf(Buffer.alloc(9_000_000, 5))})`
    expect([move(false), move(true), move(true)].map((moved) => moved === text || moved)).toEqual([named, true, named])
  })
})
