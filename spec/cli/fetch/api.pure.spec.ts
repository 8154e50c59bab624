import { describe, expect, it } from 'vitest'
import { apiAt, FetchFailed, type ApiOptions } from '../../../cli/fetch/api.ts'
import { startStandIn } from '../../support/fetch/stand-in.ts'
import { UserError } from '../../../maintenance/user-error.ts'

const KEY = 'secret-key-0123456789'
const CREDENTIALS = { headers: { authorization: `Bearer ${KEY}` }, secrets: [KEY], variables: 'TOOL_KEY' }

/** An API whose clock runs only while it waits. */
const clockedApi = (url: string, options: Partial<ApiOptions> = {}) => {
  let nowMs = 0
  const waits: number[] = []
  const api = apiAt(url, CREDENTIALS, {
    signal: new AbortController().signal,
    send: fetch,
    random: () => 0,
    now: () => nowMs,
    wait: async (ms) => {
      waits.push(ms)
      nowMs += ms
    },
    ...options,
  })
  return { api, waits, now: () => nowMs }
}

describe('requests to the API of a service', () => {
  it('wait as long as the service asks, however often', async () => {
    const times: number[] = []
    let now = () => 0
    await using service = await startStandIn((_, count) => {
      times.push(now())
      if (count === 1) return { status: 429, headers: { 'retry-after': '90' }, json: {} }
      if (count === 2) return { status: 503, headers: { 'retry-after': '7' }, json: {} }
      return { json: { ok: true } }
    })
    const clocked = clockedApi(service.url)
    now = clocked.now
    expect((await clocked.api.read({ path: ['a'] })).toString()).toBe('{"ok":true}')
    expect(times).toEqual([0, 90_000, 97_000])
  })

  it('wait together: an answer to one delays all', async () => {
    const times: number[] = []
    let nowMs = 0
    await using service = await startStandIn((_, count) => {
      times.push(nowMs)
      return count === 1 ? { status: 429, headers: { 'retry-after': '30' }, json: {} } : { json: {} }
    })
    const [firstWaits, secondWaits] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let waits = 0
    const { api } = clockedApi(service.url, {
      now: () => nowMs,
      wait: async () => {
        ;(waits++ === 0 ? firstWaits : secondWaits).resolve()
        await secondWaits.promise
        nowMs = 30_000
      },
    })
    const first = api.read({ path: ['first'] })
    await firstWaits.promise
    // It would never wait if the answer to the first concerned that one alone.
    await Promise.all([first, api.read({ path: ['second'] })])
    expect(times).toEqual([0, 30_000, 30_000])
  })

  it('end with what to do if the service asks for more than an hour, or does not recover', async () => {
    await using hours = await startStandIn(() => ({ status: 429, headers: { 'retry-after': '7200' }, json: {} }))
    await expect(clockedApi(hours.url).api.read({ path: ['a'] })).rejects.toThrow('try again in 120 minutes')
    await using down = await startStandIn(() => ({ status: 502, text: '<html>bad gateway</html>' }))
    await expect(clockedApi(down.url).api.read({ path: ['a'] })).rejects.toThrow('answers 502 Bad Gateway at /a')
    expect(down.requests.length).toBe(7)
  })

  it('follow no redirect, which would carry the key to another host', async () => {
    await using other = await startStandIn(() => ({ json: {} }))
    await using service = await startStandIn(() => ({ status: 307, headers: { location: other.url }, json: {} }))
    await expect(clockedApi(service.url).api.read({ path: ['a'] })).rejects.toThrow(
      `answers with a redirect to ${other.url}; name the right address with --url`,
    )
    expect(other.requests).toEqual([])
  })

  it('show the key in no message, and accept no answer that has it', async () => {
    await using service = await startStandIn(({ path }) =>
      path === '/echo' ? { json: { you: KEY } } : { status: 400, json: { error: { message: `bad key ${KEY}` } } },
    )
    const { api } = clockedApi(service.url)
    await expect(api.read({ path: ['bad'] })).rejects.toThrow(/^400 bad key \*\*\* at \/bad$/)
    await expect(api.read({ path: ['echo'] })).rejects.toThrow('the answer of /echo contains the key')
  })

  it('accept no answer of more than 64 MiB', async () => {
    await using service = await startStandIn(() => ({ text: `"${'x'.repeat(64 * 1024 * 1024)}"` }))
    await expect(clockedApi(service.url).api.read({ path: ['a'] })).rejects.toThrow('larger than 67108864 bytes')
  })

  it('escape what is in their path, and refuse names that clients resolve', async () => {
    await using service = await startStandIn(({ path }) => ({ json: { path } }))
    const { api } = clockedApi(`${service.url}/base/`)
    expect((await api.read({ path: ['a', '../b?c#d'] })).toString()).toBe('{"path":"/base/a/..%2Fb%3Fc%23d"}')
    for (const id of ['.', '..', '\ud800']) await expect(api.read({ path: [id] })).rejects.toThrow(FetchFailed)
    expect(service.requests.length).toBe(1)
  })

  it('stop after an interruption', async () => {
    const stop = new AbortController()
    await using service = await startStandIn(() => ({ status: 503, json: {} }))
    const { api } = clockedApi(service.url, { signal: stop.signal, wait: async () => stop.abort() })
    await expect(api.read({ path: ['a'] })).rejects.toThrow('interrupted')
    expect(service.requests.length).toBe(1)
  })

  it.each(['ftp://a', 'nothing', 'https://user:pass@a', 'https://a/?key=1', 'https://a/#x'])(
    'accept no address such as %s, and do not repeat it',
    (url) => {
      expect(() => clockedApi(url)).toThrow(UserError)
      expect(() => clockedApi(url)).not.toThrow(/pass@/)
    },
  )
})
