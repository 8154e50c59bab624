import { describe, expect, it } from 'vitest'
import { BodyRefused, bodyParts, readBody, readReason } from '../../../engine/http/read-body.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** A body that sends its parts, then waits for ever, ends, or breaks. */
const bodyOf = (parts: readonly string[], end: 'waits' | 'ends' | 'breaks') => {
  const state = { isCancelled: false }
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(bytes(part))
      if (end === 'ends') controller.close()
      if (end === 'breaks') controller.error(new Error('cut'))
    },
    cancel: () => void (state.isCancelled = true),
  })
  return { response: { body }, state }
}

describe('a body', () => {
  it('is read whole within its limit, to the byte', async () => {
    expect((await readBody(bodyOf(['ab', 'cd'], 'ends').response, { maxBytes: 4 })).toString()).toBe('abcd')
    expect(await readBody({ body: null }, { maxBytes: 0 })).toHaveLength(0)
    const { response, state } = bodyOf(['ab', 'cde', 'f'], 'waits')
    await expect(readBody(response, { maxBytes: 4 })).rejects.toThrow(
      new BodyRefused('sends an answer larger than 4 bytes'),
    )
    expect(state.isCancelled).toBe(true)
  })

  it('is given up when its parts stop arriving', async () => {
    const { response, state } = bodyOf(['ab'], 'waits')
    await expect(readBody(response, { maxBytes: 4, patienceMs: 10 })).rejects.toThrow(
      new BodyRefused('sends its answer too slowly'),
    )
    expect(state.isCancelled).toBe(true)
  })

  it('may take longer the more it sends', async () => {
    const { response } = bodyOf(['x'.repeat(16_000_000), 'y'], 'ends')
    expect(await readBody(response, { maxBytes: Infinity, patienceMs: 1_000 })).toHaveLength(16_000_001)
  })

  it('is dropped when its reader stops', async () => {
    const { response, state } = bodyOf(['ab', 'cd'], 'waits')
    for await (const part of bodyParts(response, { maxBytes: 4 })) {
      expect(part).toEqual(bytes('ab'))
      break
    }
    expect(state.isCancelled).toBe(true)
  })

  it('throws what the connection throws', async () => {
    await expect(readBody(bodyOf([], 'breaks').response, { maxBytes: 4 })).rejects.toThrow('cut')
    await expect(readReason(bodyOf([], 'breaks').response)).rejects.toThrow('cut')
  })

  it('that explains a status is read up to 64 KiB', async () => {
    const { response, state } = bodyOf(['a'.repeat(50_000), 'b'.repeat(50_000)], 'waits')
    expect(await readReason(response)).toBe('a'.repeat(50_000) + 'b'.repeat(15_536))
    expect(state.isCancelled).toBe(true)
  })
})
