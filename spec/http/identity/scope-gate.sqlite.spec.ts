import { afterAll, describe, expect, it } from 'vitest'
import { openApp, TOKENS } from '../../support/servers/app.ts'

// What the gate answers to every route and caller is in spec/http/routes/access/matrix.sqlite.spec.ts.

describe('the scope gate', async () => {
  const spec = await openApp()
  afterAll(() => spec.close())

  it.each<readonly [authorization: string, status: number]>([
    ...(['Bearer ', 'bearer ', 'BEARER  ', ''] as const).map((prefix) => [`${prefix}${TOKENS.read}`, 200] as const),
    ['Basic cmVhZC1zZWNyZXQ6', 401],
    ['Bearer ', 401],
    [`Bearer ${TOKENS.admin.slice(0, -1)}`, 401],
    [`Bearer ${TOKENS.admin}x`, 401],
  ])('reads the credential %j: %i', async (authorization, status) =>
    expect((await spec.app.inject({ url: '/api/v1/runs', headers: { authorization } })).statusCode).toBe(status),
  )

  it('finds the route before it checks the scope', async () => {
    expect((await spec.sendAs(null)('GET', '/nothing')).statusCode).toBe(404)
    expect((await spec.sendAs(null)('PUT', '/runs')).statusCode).toBe(405)
    expect((await spec.sendAs(null)('GET', '/nothing/%FF')).statusCode).toBe(404)
    expect((await spec.sendAs(null)('PUT', '/runs/%FF')).statusCode).toBe(405)
    expect((await spec.sendAs(null)('GET', '/runs//cases')).statusCode).toBe(404)
  })

  it('serves the web shell to a caller without a token', async () =>
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
    // Node reads the bytes of a header as Latin-1, so the test writes UTF-8 bytes that way.
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
