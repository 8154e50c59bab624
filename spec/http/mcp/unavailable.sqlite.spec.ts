import { expect, it } from 'vitest'
import { TooManyReads } from '../../../queries/too-many-reads.ts'
import { Unavailable } from '../../../storage/errors.ts'
import { ask, callTool, ENDLESS, MCP } from '../../support/http/mcp.ts'
import { openApp } from '../../support/servers/app.ts'
import { callsByName } from '../../../runtime/calls-by-name.ts'

// The store fails: a tool says so in its result, so that the agent can try again, and the rest of the protocol answers.

it.each([
  [
    'the store does not answer',
    new Unavailable('disk full at /secret/path'),
    'the store is busy or unavailable; try again',
  ],
  ['there are too many reads', new TooManyReads('too many reads'), 'too many reads'],
  ['of a fault of the service', new Error('secret'), 'internal server error'],
])('a tool cannot answer because %s', async (_, error, message) => {
  const spec = await openApp({
    mcp: MCP,
    parts: () => ({ callBudget: ENDLESS, longReads: callsByName(() => Promise.reject(error)) }),
  })
  try {
    const answer = await callTool(spec.sendAs('read'), 'find_runs')
    expect([answer.isError, answer.data]).toEqual([true, { error: expect.stringContaining(message) as unknown }])
    expect(answer.text).not.toContain('secret')
    expect((await ask(spec.sendAs('read'), 'tools/list')).status).toBe(200)
  } finally {
    await spec.close()
  }
})
