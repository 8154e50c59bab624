import { readFileSync } from 'node:fs'
import type { FastifyReply } from 'fastify'

// Until the web app exists: one plain page, without script, that says where to go.
const PAGE = readFileSync(new URL('../webapp/placeholder.html', import.meta.url), 'utf8')

/** The page that any address outside the API answers. */
export const shell = (reply: FastifyReply): FastifyReply =>
  reply
    .code(200)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-cache')
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'same-origin')
    .send(PAGE)
