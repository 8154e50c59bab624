import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'

type File = {
  readonly type: string
  readonly etag: string
  readonly plain: Buffer
  readonly br: Buffer | null
  readonly gzip: Buffer | null
}

/**
 * The built web app: its one page, and its assets by path. Small enough to be held, so no path of a request ever
 * reaches the disk.
 */
export type WebBuild = { readonly page: File; readonly assets: ReadonlyMap<string, File> }

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

// No inline script or style, no eval, nothing from elsewhere: stored output that gets past the page still runs and
// loads nothing.
const RULES = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
} as const

const DIST = fileURLToPath(new URL('../webapp/dist/', import.meta.url))

/** Reads the web app as `npm run build` left it in a folder; null where there is none, or only half of one. */
export const readWebBuild = (folder = DIST): WebBuild | null => {
  if (!existsSync(join(folder, 'complete'))) return null
  const read = (name: string): File => {
    const path = join(folder, name)
    const plain = readFileSync(path)
    const packed = (ending: string): Buffer | null => (existsSync(path + ending) ? readFileSync(path + ending) : null)
    return {
      type: TYPES[extname(name)] ?? 'application/octet-stream',
      etag: `"${hash('sha256', plain, 'base64url')}"`,
      plain,
      br: packed('.br'),
      gzip: packed('.gz'),
    }
  }
  const names = readdirSync(join(folder, 'assets')).filter((name) => !/\.(?:br|gz)$/.test(name))
  return { page: read('index.html'), assets: new Map(names.map((name) => [`/assets/${name}`, read(`assets/${name}`)])) }
}

/** What stands in for a web app that was not built. */
const UNBUILT: File = (() => {
  const plain = readFileSync(new URL('../webapp/unbuilt.html', import.meta.url))
  return {
    type: 'text/html; charset=utf-8',
    etag: `"${hash('sha256', plain, 'base64url')}"`,
    plain,
    br: null,
    gzip: null,
  }
})()

/**
 * The page that any address outside the API answers, to anyone: it holds no data, and the app in it finds the page by
 * the address.
 */
export const shell = (web: WebBuild | null, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendFile(request, reply.headers(RULES).header('cache-control', 'no-cache'), web?.page ?? UNBUILT)

/**
 * An asset of the app; null where there is none of that path. Its name holds a digest of its content, so a browser may
 * keep it for good.
 */
export const asset = (
  web: WebBuild | null,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): FastifyReply | null => {
  const file = web?.assets.get(path)
  return file
    ? sendFile(request, reply.headers(RULES).header('cache-control', 'public, max-age=31536000, immutable'), file)
    : null
}

const sendFile = (
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, etag, plain, br, gzip }: File,
): FastifyReply => {
  void reply.headers({ etag, vary: 'Accept-Encoding' })
  if (headers['if-none-match']?.split(',').some((each) => each.trim().replace(/^W\//, '') === etag))
    return reply.code(304).send()
  const accepted = codings(headers['accept-encoding'])
  void reply.code(200).type(type)
  if (br && accepted.has('br')) return reply.header('content-encoding', 'br').send(br)
  if (gzip && accepted.has('gzip')) return reply.header('content-encoding', 'gzip').send(gzip)
  return reply.send(plain)
}

/** The codings that a client names and does not refuse. */
const codings = (accepted: string | undefined): ReadonlySet<string> =>
  new Set(
    (accepted ?? '')
      .toLowerCase()
      .split(',')
      .flatMap((each) => {
        const [name = '', ...weights] = each.split(';').map((part) => part.trim())
        return weights.some((weight) => /^q=0(?:\.0*)?$/.test(weight)) ? [] : [name]
      }),
  )
