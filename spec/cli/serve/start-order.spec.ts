import { describe, expect, it } from 'vitest'
import { nextFreePort } from '../../support/servers/next-free-port.ts'
import { startServer } from '../../support/servers/server.ts'

const PATIENCE_MS = 120_000

/** Waits for the first answer. The limit is generous, since a start takes long on a busy machine. */
const askUntilAnswered = async (url: string): Promise<Response> => {
  let answer: Response | null = null
  await expect
    .poll(async () => (answer = await fetch(url).catch(() => null)) !== null, { interval: 10, timeout: PATIENCE_MS })
    .toBe(true)
  if (!answer) throw new Error(`${url} was never answered`)
  return answer
}

const ADMIN = { username: 'root', password: 'a long password' }
const admin = { SERVICE_ADMIN_USER: ADMIN.username, SERVICE_ADMIN_PASSWORD: ADMIN.password }
const logIn = (url: string) =>
  fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })

describe('a start', () => {
  it(
    'accepts no connection before the configured admin can sign in',
    async () => {
      const port = await nextFreePort()
      const url = `http://127.0.0.1:${port}`
      const started = startServer({ port, env: admin })
      expect((await askUntilAnswered(`${url}/health`)).status).toBe(200)
      expect((await logIn(url)).status).toBe(200)
      expect((await fetch(`${url}/api/v1/ready`)).status).toBe(200)
      const server = await started
      expect(server.log.filter(({ msg, status }) => msg === 'response' && status === 503)).toEqual([])
      expect(await server.stop()).toBe(0)
    },
    PATIENCE_MS,
  )
})
