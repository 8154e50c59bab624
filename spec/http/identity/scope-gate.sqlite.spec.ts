import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { InjectOptions } from 'fastify'
import type { AuthMode } from '../../../http/services.ts'
import type { Scope } from '../../../queries/access/viewer.ts'
import { RULES, type Rule } from '../../support/access/access-rules.ts'
import { openApp, TOKENS, type SpecApp } from '../../support/servers/app.ts'
import { fillPath, routesOf } from '../../support/http/routes.ts'

/** After the gate, some routes need an account, which none of these callers has, or a caller who sees everything. */
const isRefusedBehind = (rule: Rule | undefined, scope: Scope | null): boolean =>
  rule?.account !== undefined || (rule?.seesAll !== undefined && scope !== 'admin')

const RANK: Readonly<Record<Scope, number>> = { read: 1, write: 2, admin: 3 }

const CALLERS: ReadonlyArray<{ readonly name: string; readonly authorization?: string; readonly scope: Scope | null }> =
  [
    { name: 'nobody', scope: null },
    { name: 'an unknown bearer token', authorization: 'Bearer unknown', scope: null },
    { name: 'a basic credential', authorization: 'Basic cmVhZC1zZWNyZXQ6', scope: null },
    { name: 'an empty credential', authorization: 'Bearer ', scope: null },
    { name: 'a prefix of a token', authorization: `Bearer ${TOKENS.admin.slice(0, -1)}`, scope: null },
    ...(['read', 'write', 'admin'] as const).flatMap((scope) => [
      { name: `a ${scope} token (Bearer)`, authorization: `Bearer ${TOKENS[scope]}`, scope },
      { name: `a ${scope} token (bearer)`, authorization: `bearer ${TOKENS[scope]}`, scope },
      { name: `a ${scope} token (bare)`, authorization: TOKENS[scope], scope },
    ]),
  ]

const MODES: readonly AuthMode[] = ['open', 'protect-writes', 'closed']

/** The response of the scope gate; null means that the request passes. */
const gate = (mode: AuthMode, needed: Scope | 'any' | null, scope: Scope | null): 401 | 403 | null => {
  if (needed === 'any') return scope === null ? 401 : null
  const required = mode === 'open' || (mode === 'protect-writes' && needed === 'read') ? null : needed
  if (required === null) return null
  if (scope === null) return 401
  return RANK[scope] < RANK[required] ? 403 : null
}

describe.each(MODES)('the scope gate in %s mode', (mode) => {
  let spec: SpecApp
  beforeAll(async () => void (spec = await openApp({ mode })))
  afterAll(() => spec.close())

  it.each(CALLERS)(
    'requires the scope of each route from $name, before any other check',
    async ({ authorization, scope }) => {
      for (const { method, url } of routesOf(spec.app)) {
        const rule = RULES[`${method.replace('HEAD', 'GET')} ${url}`]
        const needed = rule?.scope ?? null
        const gated = gate(mode, needed, scope)
        const send = (path: string, extra: Pick<InjectOptions, 'payload' | 'headers'> = {}) =>
          spec.app.inject({
            method: method as 'GET',
            url: path,
            ...extra,
            headers: { ...(authorization === undefined ? {} : { authorization }), ...extra.headers },
          })

        const plain = await send(fillPath(url, {}))
        // Whatever else is wrong with a request, a credential that is too weak is reported first.
        const malformed = await send(
          `${fillPath(url, {})}?unknown=1`,
          method === 'HEAD' || method === 'GET'
            ? {}
            : { payload: '{', headers: { 'content-type': 'text/plain', 'content-encoding': 'br' } },
        )
        // An undecodable path is also rejected after the gate.
        const undecodable = url.includes(':') ? await send(url.replace(/:\w+/, '%FF').replace(/:\w+/g, 'x')) : null
        // Compared without expect, which would take longer than the requests.
        for (const answer of [plain, malformed, ...(undecodable ? [undecodable] : [])]) {
          const { statusCode, headers } = answer
          // A page shows an image for every answer, so what it may not see is the image of an unknown suite.
          const isImage = rule?.isImage && answer !== undecodable
          const refused = gated !== null && isImage ? 404 : gated
          const isExpected =
            refused !== null
              ? statusCode === refused
              : isRefusedBehind(rule, scope)
                ? statusCode === 400 || statusCode === 403
                : statusCode !== 401 && statusCode !== 403 && statusCode < 500
          if (!isExpected) expect.fail(`${method} ${url}: status ${statusCode}, and the gate says ${refused ?? 'pass'}`)
          if (refused === 401 && !String(headers['www-authenticate']).startsWith('Bearer'))
            expect.fail(`${method} ${url}: www-authenticate is ${String(headers['www-authenticate'])}`)
          if (refused === null || isImage || method === 'HEAD') continue
          const reason = refused === 401 ? 'authentication required' : 'insufficient scope'
          if (!answer.json<{ error: string }>().error.includes(reason))
            expect.fail(`${method} ${url}: not "${reason}": ${answer.body.slice(0, 300)}`)
        }
        if (gated === null) expect(malformed.statusCode, `${method} ${url}?unknown=1`).toBe(rule?.wrongStatus ?? 400)
        if (gated === null && undecodable) expect(undecodable.statusCode).toBe(400)
      }
    },
  )

  it('finds the route before it checks the scope', async () => {
    expect((await spec.sendAs(null)('GET', '/nothing')).statusCode).toBe(404)
    expect((await spec.sendAs(null)('PUT', '/runs')).statusCode).toBe(405)
    expect((await spec.sendAs(null)('GET', '/nothing/%FF')).statusCode).toBe(404)
    expect((await spec.sendAs(null)('PUT', '/runs/%FF')).statusCode).toBe(405)
    expect((await spec.sendAs(null)('GET', '/runs//cases')).statusCode).toBe(404)
  })

  it('serves the web shell to every caller', async () =>
    expect((await spec.app.inject('/runs/x')).statusCode).toBe(200))
})

describe('static tokens', () => {
  it('have the highest scope that a secret is listed with', async () => {
    const spec = await openApp({
      tokens: [
        { scope: 'read', secret: TOKENS.admin, position: 1 },
        { scope: 'admin', secret: TOKENS.admin, position: 2 },
        { scope: 'write', secret: TOKENS.admin, position: 3 },
      ],
    })
    expect((await spec.sendAs('admin')('DELETE', '/runs/none')).statusCode).toBe(404)
    await spec.close()
  })

  it('may contain any characters, such as spaces, colons and non-ASCII letters', async () => {
    const spec = await openApp({ tokens: [{ scope: 'read', secret: 'a b:ç', position: 1 }] })
    // Encoded like the text that Node makes of a UTF-8 header.
    const status = async (secret: string) =>
      (
        await spec.app.inject({
          url: '/api/v1/runs',
          headers: { authorization: `Bearer ${Buffer.from(secret).toString('latin1')}` },
        })
      ).statusCode
    expect(await status('a b:ç')).toBe(200)
    expect(await status('a  b:ç')).toBe(401)
    expect(await status('a b:c')).toBe(401)
    await spec.close()
  })
})
