import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { benchDocument } from '../documents.ts'
import { ask, load, median, type Answer } from '../load.ts'
import { rawLoad } from '../raw-load.ts'
import type { Print } from '../measures.ts'
import { startBenchServer, type Server } from '../servers.ts'

const ROUNDS = 7
const STORED = 100
const READS = 6000
const LIST = '/api/v1/runs'
const PASSWORD = 'a password of the bench'

/** Number of accounts. Each has as many concurrent sign-ins as the service allows for one account without a delay. */
const ACCOUNTS = 50
const SIGN_INS = 1000

/**
 * Measures the cost of access control for a read that is answered from the cache, and the effect of a thousand
 * concurrent sign-ins on reads.
 */
export const access = async (print: Print): Promise<void> => {
  const open = await startBenchServer('service', undefined, { SERVICE_AUTH_MODE: 'open' })
  // Each sign-in sends its own client address, because the service throttles a single address.
  const closed = await startBenchServer('service', undefined, { SERVICE_TRUSTED_PROXIES: '127.0.0.1' })
  try {
    for (const server of [open, closed])
      await load(4, STORED, (agent, n) =>
        ask(agent, server, LIST, { method: 'POST', body: Buffer.from(benchDocument(n)) }),
      )
    const names = await addAccounts(closed)
    await sendJson(closed, 'PUT', '/api/v1/sets/project-1/restriction')
    const { token } = (await sendJson(closed, 'POST', '/api/v1/auth/login', {
      username: names[0],
      password: PASSWORD,
    })) as { token: string }
    // Sends the token in a header that means nothing. So both requests have about the same length, and only the access
    // check differs.
    const anonymous: Server = { ...open, headers: { 'x-unrelated-': `Bearer ${token}` } }
    const session: Server = { ...closed, headers: { authorization: `Bearer ${token}` } }

    const checked: number[] = []
    const unchecked: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      // Alternates, so that other load on the machine affects both. The first round is the warm-up.
      const [without, within] = [await rawLoad(4, READS, anonymous, LIST), await rawLoad(4, READS, session, LIST)]
      if (round === 0) continue
      unchecked.push(without.perSecond)
      checked.push(within.perSecond)
    }
    const ratio = median(checked.map((each, i) => each / (unchecked[i] ?? each)))
    print('| warm run list | req/s |')
    print('|---|---|')
    print(`| open mode, anonymous | ${median(unchecked).toFixed(0)} |`)
    print(`| closed mode, a session, one project restricted | ${median(checked).toFixed(0)} |`)
    print(`\nWith checks it is ${ratio.toFixed(3)} times as fast as without (at least 0.9).\n`)
    await concurrentSignIns(print, session, names)
  } finally {
    await Promise.all([open.stop(), closed.stop()])
  }
}

const concurrentSignIns = async (print: Print, session: Server, names: readonly string[]): Promise<void> => {
  const list = (agent: Agent): Promise<Answer> => ask(agent, session, LIST)
  await load(1, 500, list)
  const idle = await load(1, 2000, list)
  const before = session.memory()

  let signingIn = true
  const times: number[] = []
  const reader = (async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (signingIn) times.push((await list(agent)).ms)
    agent.destroy()
  })()
  const from = performance.now()
  const results = await Promise.all(
    Array.from({ length: SIGN_INS }, (_, n) => signIn(session, names[n % names.length] ?? '', n)),
  )
  const seconds = (performance.now() - from) / 1000
  signingIn = false
  await reader

  const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
  const after = session.memory()
  const statusCounts = Object.entries(Object.groupBy(results, ({ status }) => String(status))).map(
    ([status, group]) => `${group?.length ?? 0} × ${status}`,
  )
  print(`| ${SIGN_INS} concurrent sign-ins | |`)
  print('|---|---|')
  print(
    `| all finished after | ${seconds.toFixed(1)} s (${statusCounts.join(', ')}; ${results.reduce((sum, { retries }) => sum + retries, 0)} retries) |`,
  )
  print(`| run list, p99, idle | ${idle.p99.toFixed(2)} ms |`)
  print(`| run list, p99, during the sign-ins (${times.length} requests) | ${p99.toFixed(2)} ms |`)
  print(
    `| memory before, after, highest | ${before.now.toFixed(0)}, ${after.now.toFixed(0)}, ${after.peak.toFixed(0)} MiB |`,
  )
  print(
    `\nDuring the sign-ins, the p99 of the run list is ${(p99 / idle.p99).toFixed(2)} times its idle value (at most 2).`,
  )
}

/** Signs in from an address of its own, and retries after 503 and 429. */
const signIn = async (
  server: Server,
  username: string,
  n: number,
): Promise<{ readonly status: number; readonly retries: number }> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const body = Buffer.from(JSON.stringify({ username, password: PASSWORD }))
  const extra = { 'content-type': 'application/json', 'x-forwarded-for': `198.51.${n >> 8}.${n & 255}` }
  const anonymous = { ...server, headers: {} }
  try {
    for (let retries = 0; ; retries++) {
      const { status } = await ask(agent, anonymous, '/api/v1/auth/login', { method: 'POST', body, extra })
      if ((status !== 503 && status !== 429) || retries === 60) return { status, retries }
      await wait(1000)
    }
  } finally {
    agent.destroy()
  }
}

const addAccounts = async (server: Server): Promise<string[]> => {
  const names = Array.from({ length: ACCOUNTS }, (_, i) => `account-${i}`)
  for (const username of names)
    await sendJson(server, 'POST', '/api/v1/users', { username, password: PASSWORD, role: 'member' })
  return names
}

const sendJson = async ({ url, headers }: Server, method: string, path: string, body?: object): Promise<unknown> => {
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text === '' ? null : JSON.parse(text)
}
