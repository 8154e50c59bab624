import { describe, expect, it } from 'vitest'
import type { PublishedChange } from '../../../commands/changes.ts'
import { changeMessage, messageText } from '../../../http/streams/messages.ts'

const run = (id: string, suite: string | null = 's'): PublishedChange => ({
  seq: 1,
  kind: 'run',
  id,
  project: 'p',
  suite,
})

describe('the message of changes', () => {
  it('names each thing once', () => {
    const message = changeMessage([
      run('a'),
      run('b'),
      run('a'),
      { seq: 2, kind: 'baseline', project: 'p', suite: 's' },
    ])
    expect(JSON.parse(message?.data ?? '')).toEqual({
      runs: [
        { id: 'a', project: 'p', suite: 's' },
        { id: 'b', project: 'p', suite: 's' },
      ],
      baselines: [{ project: 'p', suite: 's' }],
      reviews: [],
      sets: [{ project: 'p', suite: 's' }],
    })
    expect(message?.rest).toEqual([])
  })

  it('leaves what has no room to the next message', () => {
    const changes = Array.from({ length: 100 }, (_, n) => run(`run-${n}`))
    const seen: string[] = []
    let rest: readonly PublishedChange[] = changes
    for (;;) {
      const message = changeMessage(rest, new Map(), 500)
      if (!message) break
      expect(message.data.length).toBeLessThan(700)
      seen.push(...(JSON.parse(message.data) as { runs: Array<{ id: string }> }).runs.map(({ id }) => id))
      rest = message.rest
    }
    expect(seen).toEqual(changes.map((change) => change.kind === 'run' && change.id))
  })

  it('names a queue with the set that was read for it, and none that is unknown', () => {
    const review = (queue_id: string): PublishedChange => ({ seq: 1, kind: 'review', queue_id, step: 'label' })
    const set = { project: 'p', suite: 's' }
    const message = changeMessage([review('q'), review('q'), review('erased')], new Map([['q', set]]))
    expect(JSON.parse(message?.data ?? '')).toEqual({
      runs: [],
      baselines: [],
      reviews: [{ id: 'q', ...set }],
      sets: [set],
    })
  })

  it('is null without changes that a page follows', () => {
    expect(changeMessage([])).toBeNull()
    expect(changeMessage([{ seq: 1, kind: 'access' }])).toBeNull()
  })

  it('keeps line breaks of names out of the text of the stream', () => {
    const { data = '' } = changeMessage([run('a\nevent: reset\n\n', '\u2028\r')]) ?? {}
    const text = messageText('changed', data, 'id')
    expect(text.split('\n')).toHaveLength(5)
    expect(text).not.toContain('\r')
  })
})
