import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { pinnedRun } from '../../../cli/client/baseline-server.ts'
import { engineServer } from '../../../cli/client/engine-server.ts'
import { HarnessError } from '../../../engine/json.ts'

let service: Server | null = null
afterEach(() => {
  service?.closeAllConnections()
  service?.close()
  service = null
})

/** A service that begins a response with `answer`, after which the time of the request is over. */
const lateServer = async (answer: (response: ServerResponse) => void) => {
  const time = new AbortController()
  let requests = 0
  service = createServer((_, response) => {
    requests += 1
    answer(response)
    time.abort()
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  return {
    server: { ...engineServer(url, {}, new AbortController().signal), deadline: () => time.signal },
    requests: () => requests,
  }
}

describe('a request about baselines', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['accepts it and never answers', () => {}],
    ['stops in the middle of its answer', (response) => void response.writeHead(200).write('{"suites":')],
    ['stays busy', (response) => void response.writeHead(503).end('{"error":"busy"}')],
  ])('ends at its deadline where the service %s', async (_, answer) => {
    const { server, requests } = await lateServer(answer)
    const found = pinnedRun(server, { project: 'desk', suite: 'refunds' })
    await expect(found).rejects.toThrow(HarnessError)
    await expect(found).rejects.toThrow('did not answer within 60 s')
    expect(requests()).toBe(1)
  })

  it('has a deadline of its own, which begins with it', () => {
    const { deadline } = engineServer('http://a.test', {}, new AbortController().signal)
    expect(deadline()).not.toBe(deadline())
    expect(deadline().aborted).toBe(false)
  })
})
