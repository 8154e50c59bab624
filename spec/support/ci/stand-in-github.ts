import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

export type StoredComment = {
  readonly id: number
  body: string
  readonly user: { readonly login: string; readonly type: string }
}

type Answer = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly message?: string
  /** Deletes all comments before it. */
  readonly deletes?: true
}

export type StandInGithub = {
  readonly url: string
  readonly comments: StoredComment[]
  /** The requests so far, as `METHOD path`. */
  readonly requests: string[]
  /** Answers in place of the usual ones: by method, the first one is used up each time. */
  readonly planned: Record<string, Answer[]>
  /** The account of the token; null for the token of a job, which belongs to none. */
  account: string | null
  /** Loses the answer of the next POST, after it was carried out. */
  losesPost: boolean
  readonly close: () => Promise<void>
}

const BOT = { login: 'github-actions[bot]', type: 'Bot' }
const MAX_BODY = 65_536

/** The part of the API of GitHub that comments on pull request 7 of `shop/app`. */
export const startGithub = async (): Promise<StandInGithub> => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '' } = request
    const body = await text(request)
    github.requests.push(`${method} ${url}`)
    const send = (status: number, content: unknown, headers: Readonly<Record<string, string>> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify(content))
    }
    if (request.headers.authorization !== 'Bearer job-token') return send(401, { message: 'Bad credentials' })
    const planned = github.planned[method]?.shift()
    if (planned?.deletes) github.comments.length = 0
    if (planned) return send(planned.status, { message: planned.message ?? 'planned' }, planned.headers)
    const { pathname, searchParams } = new URL(url, 'http://github')
    if (pathname === '/user')
      return github.account === null
        ? send(403, { message: 'Resource not accessible by integration' })
        : send(200, { login: github.account, type: 'User' })
    const author = github.account === null ? BOT : { login: github.account, type: 'User' }
    if (pathname === '/repos/shop/app/issues/7/comments' && method === 'GET') {
      const [page, size] = [Number(searchParams.get('page')), Number(searchParams.get('per_page'))]
      return send(200, github.comments.slice((page - 1) * size, page * size))
    }
    const given = body === '' ? '' : (JSON.parse(body) as { body: string }).body
    if (given.length > MAX_BODY) return send(422, { message: 'Validation Failed' })
    if (pathname === '/repos/shop/app/issues/7/comments' && method === 'POST') {
      const comment = { id: 1_000 + github.comments.length, body: given, user: author }
      github.comments.push(comment)
      if (github.losesPost) {
        github.losesPost = false
        return void request.socket.destroy()
      }
      return send(201, comment)
    }
    const id = /^\/repos\/shop\/app\/issues\/comments\/(\d+)$/.exec(pathname)?.[1]
    const found = github.comments.find((comment) => comment.id === Number(id))
    if (method !== 'PATCH' || !found) return send(404, { message: 'Not Found' })
    found.body = given
    return send(200, found)
  }
  const server = createServer((request, response) => void answer(request, response))
  const github: StandInGithub = {
    url: '',
    comments: [],
    requests: [],
    planned: {},
    account: null,
    losesPost: false,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(github, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}
