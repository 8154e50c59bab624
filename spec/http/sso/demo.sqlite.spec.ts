import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { nextFreePort } from '../../support/servers/next-free-port.ts'
import { followUntil } from '../../support/sso/follow-redirects.ts'

const DEMO = fileURLToPath(new URL('../../support/sso/demo.ts', import.meta.url))

it('the demo starts the service with two providers, to which a sign-in leads, and ends with all of them', async () => {
  const port = await nextFreePort()
  const child = spawn(process.execPath, [DEMO, '--port', String(port)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  try {
    for await (const line of createInterface({ input: child.stdout })) if (line.includes(`${url}/login`)) break
    const { sso_providers: providers } = (await (await fetch(`${url}/api/v1/meta`)).json()) as {
      sso_providers: Array<{ label: string; login_url: string }>
    }
    expect(providers.map(({ label }) => label)).toEqual(['OpenID Connect', 'SAML'])
    for (const { login_url } of providers) {
      const started = await fetch(`${url}${login_url}`, { redirect: 'manual' })
      const page = new URL(started.headers.get('location') ?? '')
      const shown = page.pathname === '/sso' ? page : await followUntil(page.href, `${page.origin}/interaction/`)
      expect((await fetch(shown)).status).toBeLessThan(500)
    }
  } finally {
    child.kill('SIGTERM')
  }
  expect(await exited).toEqual([0, null])
  await expect(fetch(`${url}/health`)).rejects.toThrow()
})
