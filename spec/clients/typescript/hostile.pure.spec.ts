import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { connect, ErsError, type ErsClient } from '../../../clients/typescript/src/index.ts'
import { HOSTILE, hostileServer, TARGET } from '../../support/hostile/servers.ts'

const CALLS: Readonly<Record<string, (ers: ErsClient) => Promise<unknown>>> = {
  'a read': (ers) => ers.api.GET('/api/v1/runs/{id}', { params: { path: { id: 'r' } } }),
  'a list': (ers) => Array.fromAsync(ers.runs()),
  'an upload': (ers) => ers.uploadRun({ run_id: 'r' }),
  'an import': (ers) => ers.importFile('a,b\n'),
}
const CONTROL = /[\0-\x1F\x7F-\x9F\u202A-\u202E]/

describe('in place of a service', () => {
  // An object with other members than those that were asked for is the caller's to check, but for an upload.
  const kinds = Object.entries(HOSTILE).filter(([kind]) => kind !== 'other JSON')
  it.each(kinds)('%s is an error of every call', async (kind, listener) => {
    const server = await hostileServer(listener)
    try {
      const ers = connect({ url: server.url, token: 'secret', maxAnswerBytes: 4 * 1024 * 1024 })
      for (const call of Object.values(CALLS)) {
        const error: unknown = await call(ers).then(
          () => 'no error',
          (reason: unknown) => reason,
        )
        expect(error).toBeInstanceOf(ErsError)
        expect((error as ErsError).message).not.toMatch(CONTROL)
        if (kind === 'a redirect') expect((error as ErsError).message).toContain(TARGET)
      }
    } finally {
      await server.close()
    }
  })
})

describe('an answer', () => {
  const answered = async (listener: RequestListener, options: Partial<Parameters<typeof connect>[0]> = {}) => {
    const server = await hostileServer(listener)
    try {
      return await connect({ url: server.url, ...options }).api.GET('/api/v1/projects')
    } finally {
      await server.close()
    }
  }

  it('that stops in the middle is an error', async () => {
    const cut = answered((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{"projects":', () => response.destroy())
    })
    await expect(cut).rejects.toMatchObject({ name: 'ErsError', status: 0 })
  })

  it('that does not arrive is given up', async () => {
    const slow = answered(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"projects":'),
      { patienceMs: 50 },
    )
    await expect(slow).rejects.toThrow('too slowly')
  })

  it('may be a stream, which the caller reads', async () => {
    const server = await hostileServer((_, response) => void response.end('{"projects":[]}'))
    try {
      const { data } = await connect({ url: server.url }).api.GET('/api/v1/projects', { parseAs: 'stream' })
      expect(await new Response(data).json()).toEqual({ projects: [] })
    } finally {
      await server.close()
    }
  })
})
