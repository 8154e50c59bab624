import { describe, expect, it } from 'vitest'
import { putInBatches } from '../../../runtime/cache/put-batches.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

/** Stores each key once. Notes the bodies of each message; one whose key is `broken` rejects its message. */
const aThread = () => {
  const stored = new Set<string>()
  const messages: string[][] = []
  const store = (key: string): boolean => {
    const isFirst = !stored.has(key)
    stored.add(key)
    return isFirst
  }
  const put = putInBatches(
    async (key, body) => {
      messages.push([`alone: ${body.length}`])
      return store(key)
    },
    async (keys, lengths, joined) => {
      let offset = 0
      messages.push(lengths.map((length) => Buffer.from(joined.slice(offset, (offset += length))).toString()))
      if (keys.includes('broken')) throw new Error('broken')
      return keys.map(store)
    },
  )
  return { put, messages }
}

describe('bodies for the thread of the cache', () => {
  it('go together if they arrive together, and each gets its own answer', async () => {
    const { put, messages } = aThread()
    expect(await Promise.all([put('a', bytes('one')), put('b', bytes('')), put('a', bytes('three'))])).toEqual([
      true,
      true,
      false,
    ])
    expect(await put('a', bytes('four'))).toBe(false)
    expect(messages).toEqual([['one', '', 'three'], ['four']])
  })

  it('go alone if they are large', async () => {
    const { put, messages } = aThread()
    const large = new Uint8Array(16 * 1024 + 1)
    expect(await Promise.all([put('a', bytes('one')), put('b', large), put('c', bytes('two'))])).toEqual([
      true,
      true,
      true,
    ])
    expect(messages).toEqual([['alone: 16385'], ['one', 'two']])
  })

  it('are all rejected if the message is', async () => {
    const { put } = aThread()
    const answers = await Promise.allSettled([put('a', bytes('one')), put('broken', bytes('two'))])
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await put('c', bytes('three'))).toBe(true)
  })
})
