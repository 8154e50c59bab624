import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { MAX_ATTEMPTS, TransientError } from '../../../cli/client/backoff.ts'
import { objectText } from '../../../cli/client/answer.ts'
import { serverOf, serviceClient } from '../../../cli/client/service-client.ts'
import { UserError } from '../../../maintenance/user-error.ts'
import { uploadTarget } from '../../../cli/import/upload-target.ts'

// Proxies between a client and the service: busy, redirecting, interrupting, or with responses of their own.
let server: Server | null = null
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = null
})
const between = async (listener: RequestListener) => {
  server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const waits: number[] = []
const patience = {
  signal: new AbortController().signal,
  random: () => 0,
  wait: async (ms: number) => void waits.push(ms),
}
const document = { bytes: Buffer.from('{}'), gzip: false }

describe('the service client', () => {
  it('waits as long as a busy server asks, then succeeds', async () => {
    let tries = 0
    const url = await between((_, response) => {
      tries += 1
      if (tries < 3) response.writeHead(503, { 'retry-after': '2' }).end('{"error":"busy"}')
      else response.writeHead(201).end('{"id":"r1","url":"x"}')
    })
    waits.length = 0
    expect(await uploadTarget(url, undefined, patience).send(document)).toMatchObject({ kind: 'imported', id: 'r1' })
    expect(waits).toEqual([2125, 2250])
  })

  it('reports a document as failed if the server stays busy', async () => {
    let tries = 0
    const url = await between((_, response) => {
      tries += 1
      response.writeHead(429).end('{"error":"slow down"}')
    })
    expect(await uploadTarget(url, undefined, patience).send(document)).toEqual({
      kind: 'failed',
      status: '429',
      reason: 'slow down',
    })
    expect(tries).toBe(MAX_ATTEMPTS)
  })

  it('stops at once if the first document gets no response', async () => {
    const url = await between((request) => request.socket.destroy())
    await expect(uploadTarget(url, undefined, patience).send(document)).rejects.toThrow(UserError)
  })

  it('reports a document as failed if the server stops, and ends after many failures', async () => {
    const url = await between((_, response) => void response.writeHead(201).end('{"id":"r1"}'))
    const target = uploadTarget(url, undefined, patience)
    await target.send(document)
    server?.closeAllConnections()
    server?.close()
    for (let i = 0; i < 19; i++)
      expect(await target.send(document)).toMatchObject({
        kind: 'failed',
        reason: expect.stringContaining('cannot be reached') as string,
      })
    await expect(target.send(document)).rejects.toThrow(UserError)
  })

  it.each([401, 403])('stops if the response to the first document is %i, and says what to do', async (status) => {
    const url = await between((_, response) => void response.writeHead(status).end('{"error":"not you"}'))
    await expect(uploadTarget(url, undefined, patience).send(document)).rejects.toThrow(
      `rejects the request: ${status} not you (SERVICE_TOKEN is not set)`,
    )
    await expect(uploadTarget(url, 'secret', patience).send(document)).rejects.toThrow('(check SERVICE_TOKEN)')
  })

  it('continues after a later 403, which concerns one run set', async () => {
    const statuses = [201, 403]
    const url = await between(
      (_, response) => void response.writeHead(statuses.shift() ?? 500).end('{"id":"r","error":"restricted"}'),
    )
    const target = uploadTarget(url, undefined, patience)
    await target.send(document)
    expect(await target.send(document)).toEqual({ kind: 'refused', status: '403', reason: 'restricted' })
  })

  it('rejects redirects and web pages as responses of the service', async () => {
    const moved = await between((_, response) => void response.writeHead(302, { location: 'https://elsewhere/' }).end())
    await expect(uploadTarget(moved, undefined, patience).send(document)).rejects.toThrow(
      'redirect to https://elsewhere/',
    )
    server?.close()
    const page = await between((_, response) => void response.writeHead(200).end('<html>'))
    await expect(uploadTarget(page, undefined, patience).send(document)).rejects.toThrow('does not answer like')
  })

  it('sends small documents plain, large ones gzipped, gzipped ones unchanged', async () => {
    const seen: Array<[string | undefined, string | undefined, number]> = []
    const url = await between((request, response) => {
      const { 'content-encoding': encoding, authorization } = request.headers
      void request.toArray().then((chunks) => {
        seen.push([encoding, authorization, Buffer.concat(chunks).length])
        response.writeHead(201).end('{"id":"r"}')
      })
    })
    const target = uploadTarget(`${url}/`, 'secret', patience)
    await target.send(document)
    await target.send({ bytes: Buffer.alloc(100_000, 'a'), gzip: false })
    await target.send({ bytes: Buffer.from('as it is'), gzip: true })
    expect(seen.map(([encoding, authorization]) => [encoding, authorization])).toEqual(
      [undefined, 'gzip', 'gzip'].map((encoding) => [encoding, 'Bearer secret']),
    )
    expect(seen[1]?.[2]).toBeLessThan(1000)
    expect(seen[2]?.[2]).toBe(8)
  })

  it('reports an interrupted response', async () => {
    const url = await between(
      (_, response) =>
        void response.writeHead(200, { 'content-length': '100' }).write('{"id":', () => response.destroy()),
    )
    const client = serviceClient(url, undefined, patience)
    await expect(client.request('/runs', {}, (answer) => objectText(answer))).rejects.toThrow(TransientError)
    await expect(client.request('/runs', {}, (answer) => objectText(answer))).rejects.toMatchObject({ status: 200 })
  })

  it('reads the server from option, variable and default, in this order', () => {
    expect(serverOf('http://a', { SERVICE_SERVER_URL: 'http://b' })).toBe('http://a')
    expect(serverOf(undefined, { SERVICE_SERVER_URL: 'http://b' })).toBe('http://b')
    expect(serverOf(undefined, { SERVICE_SERVER_URL: '' })).toBe('http://localhost:8321')
    expect(() => serviceClient('localhost:8321', undefined, patience)).toThrow(UserError)
    expect(() => serviceClient('http://user:pass@host', undefined, patience)).toThrow(
      'must not contain a user or password',
    )
    expect(serviceClient('https://host/', undefined, patience).url).toBe('https://host')
  })
})
