import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { openDeliveries } from '../../../runtime/proof/deliveries.ts'
import type { PostText } from '../../../runtime/proof/post-text.ts'
import { manualTimers, startSpecSigner } from '../../support/proof/opened-signer.ts'
import { capturedLog } from '../../support/stores/captured-log.ts'
import { openFreshService, type FreshService } from '../../support/stores/open-fresh.ts'

let fresh: FreshService
let received: string[]
let status: number
const types = new Set<string | undefined>()
const server = createServer((request, response) => {
  types.add(request.headers['content-type'])
  void text(request).then((body) => {
    received.push(body)
    response.writeHead(status, { location: '/elsewhere' }).end()
  })
})
let url: string

beforeEach(async () => {
  received = []
  status = 204
  fresh = await openFreshService()
  await fresh.service.commit.restrictSet(SYSTEM, { project: 'p', suite: null })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a-secret-path`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await fresh.close()
})

describe('a receiver of checkpoints', () => {
  it('receives each one as a text, once', async () => {
    const { signer, timers } = await startSpecSigner(fresh, { urls: [url] })
    const first = (await signer.newest())!.note
    await expect.poll(() => received, { interval: 1 }).toEqual([first])
    timers.fire()
    await fresh.service.commit.restrictSet(SYSTEM, { project: 'q', suite: null })
    const { size } = await fresh.service.head()
    const { note } = await signer.covering(size)
    await expect.poll(() => received, { interval: 1 }).toEqual([first, note])
    expect([...types]).toEqual(['text/plain; charset=utf-8'])
  })

  it.each([500, 302])('that answers %i receives the newest one next time', async (failure) => {
    status = failure
    const { signer, timers, lines } = await startSpecSigner(fresh, { urls: [url] })
    const { note, size } = (await signer.newest())!
    await expect
      .poll(() => lines, { interval: 1 })
      .toMatchObject([{ level: 40, size, reason: `status ${failure}`, receiver: new URL(url).origin }])
    expect(JSON.stringify(lines)).not.toContain('secret')
    status = 200
    timers.fire()
    await expect.poll(() => received, { interval: 1 }).toEqual([note, note])
    expect(lines).toHaveLength(1)
  })

  it('that cannot be reached is a warning', async () => {
    const { lines, signer } = await startSpecSigner(fresh, { urls: [url, 'http://127.0.0.1:1/'] })
    await expect.poll(() => lines, { interval: 1 }).toMatchObject([{ level: 40, receiver: 'http://127.0.0.1:1' }])
    const { note } = (await signer.newest())!
    await expect.poll(() => received, { interval: 1 }).toEqual([note])
  })

  it('receives a checkpoint that was signed while a delivery came to its end', async () => {
    const sent: number[] = []
    const post: PostText = (_url, note) => {
      sent.push(Number(note))
      return Promise.resolve({ status: 200, text: '' })
    }
    const { logger, lines } = capturedLog('warn')
    const { reader, commit, now } = fresh.service
    const deliveries = await openDeliveries(
      { urls: [url], policy: null, witnessed: null },
      {
        reader,
        commit,
        now,
        logger,
        post,
        deadline: () => new AbortController().signal,
        schedule: manualTimers().schedule,
      },
    )
    const checkpoint = (await (await startSpecSigner(fresh)).signer.newest())!
    // A delivery takes less than fifty turns of promises here, so one of these comes at each turn of its end.
    for (let turns = 0; turns < 50; turns++) {
      const size = 2 * turns + 1
      deliveries.deliver({ ...checkpoint, size, note: String(size) })
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      deliveries.deliver({ ...checkpoint, size: size + 1, note: String(size + 1) })
      await setImmediate()
      expect(sent.at(-1), `after ${turns} turns`).toBe(size + 1)
    }
    expect(lines).toEqual([])
    await deliveries.close()
  })
})
