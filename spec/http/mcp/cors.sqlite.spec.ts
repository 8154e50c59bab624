import { afterAll, describe, expect, it } from 'vitest'
import { readAllowedOrigin } from '../../../http/mcp/origins.ts'
import { ENDLESS, post } from '../../support/http/mcp.ts'
import { openApp } from '../../support/servers/app.ts'

const PAGE = 'https://app.example'
afterAll(() => spec.close())

const corsOf = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-') || name === 'vary'))
const allowedOrigins = [readAllowedOrigin(PAGE)].filter((entry) => entry !== null)
const spec = await openApp({ mcp: { allowedOrigins }, parts: () => ({ callBudget: ENDLESS }) })

describe('a page of an allowed origin', () => {
  it('may ask before it posts, without a credential', async () => {
    const { statusCode, headers, body } = await spec.sendAs(null)('OPTIONS', '/mcp', {
      headers: { origin: PAGE, 'access-control-request-method': 'POST' },
    })
    expect([statusCode, body, corsOf(headers)]).toEqual([
      204,
      '',
      {
        'access-control-allow-origin': PAGE,
        'access-control-allow-methods': 'POST, OPTIONS',
        'access-control-allow-headers': 'content-type, authorization, mcp-protocol-version, mcp-method, mcp-name',
        'access-control-max-age': '600',
        vary: 'Origin',
      },
    ])
  })

  it('may read every answer, also one that refuses', async () => {
    for (const body of ['{"id":1,"method":"ping"}', '{', '{"id":1,"method":"tools/call"}', '{"id":1,"method":"x"}']) {
      const { headers } = await post(spec.sendAs(null), body, { origin: PAGE })
      expect(corsOf(headers)).toEqual({ 'access-control-allow-origin': PAGE, vary: 'Origin' })
    }
  })
})

describe('another page', () => {
  it('gets no permission', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://localhost']) {
      const preflight = await spec.sendAs(null)('OPTIONS', '/mcp', { headers: { origin } })
      expect([preflight.statusCode, corsOf(preflight.headers)]).toEqual([204, { vary: 'Origin' }])
      const { status, headers } = await post(spec.sendAs(null), '{"id":1,"method":"ping"}', { origin })
      expect([status, corsOf(headers)]).toEqual([403, { vary: 'Origin' }])
    }
  })

  it('gets none on other routes either, allowed or not', async () => {
    for (const path of ['/runs', '/meta', '/auth/me']) {
      const { headers } = await spec.sendAs('read')('GET', path, { headers: { origin: PAGE } })
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })
})
