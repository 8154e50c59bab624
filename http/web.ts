import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { aroundData } from '../domain/report/shared-page.ts'
import { acceptedCodings } from './requests/accepted-codings.ts'

/** A file as it is sent: a compressed form is null if there is none. */
export type File = {
  readonly type: string
  readonly etag: string
  readonly plain: Buffer
  readonly br: Buffer | null
  readonly gzip: Buffer | null
}

/**
 * The built web app: its one page, and its assets by path. It is small enough to be held in memory, so no path of a
 * request ever reaches the disk. It is read with the first of them: a service without visitors needs no 4 MB for it, and
 * starts sooner.
 */
export type WebBuild = {
  readonly page: File
  /** The page that checks receipts, as one file to keep. */
  readonly checker: File
  /** The pages for those who label. */
  readonly review: File
  readonly assets: ReadonlyMap<string, File>
  /** The page of a run as one file, without the run. */
  readonly share: () => { readonly before: string; readonly after: string }
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
}

/** A file from its name and content. */
export const fileOf = (name: string, plain: Buffer, br: Buffer | null = null, gzip: Buffer | null = null): File => ({
  type: TYPES[extname(name)] ?? 'application/octet-stream',
  etag: `"${hash('sha256', plain, 'base64url')}"`,
  plain,
  br,
  gzip,
})

/** A file of which only the compressed forms are read. The first client that accepts neither has it unpacked. */
const packedFile = (name: string, br: Buffer | null, gzip: Buffer): File => {
  let plain: Buffer | undefined
  return {
    ...fileOf(name, gzip, br, gzip),
    get plain() {
      return (plain ??= gunzipSync(gzip))
    },
  }
}

// No inline script or style, no eval, no other origins. If stored output ever reaches the page as markup, it still cannot
// run or load anything.
export const RULES = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
} as const

const DIST = fileURLToPath(new URL('../webapp/dist/', import.meta.url))

/** The web app that `npm run build` wrote into a folder; null if there is none, or the build is incomplete. */
export const readWebBuild = (folder = DIST): WebBuild | null => {
  if (!existsSync(join(folder, 'complete'))) return null
  const read = (name: string): File => {
    const path = join(folder, name)
    const compressed = (ending: string): Buffer | null =>
      existsSync(path + ending) ? readFileSync(path + ending) : null
    const gzip = compressed('.gz')
    // A release has assets in their compressed forms alone.
    return gzip ? packedFile(name, compressed('.br'), gzip) : fileOf(name, readFileSync(path))
  }
  const readAll = (): Omit<WebBuild, 'share'> => {
    const names = new Set(readdirSync(join(folder, 'assets')).map((name) => name.replace(/\.(?:br|gz)$/, '')))
    return {
      page: read('index.html'),
      checker: read('check-receipt.html'),
      review: read('review.html'),
      assets: new Map([...names].map((name) => [`/assets/${name}`, read(`assets/${name}`)])),
    }
  }
  // All files at once, so that all are of one build.
  let loaded: ReturnType<typeof readAll> | undefined
  const all = () => (loaded ??= readAll())
  return {
    get page() {
      return all().page
    },
    get checker() {
      return all().checker
    },
    get review() {
      return all().review
    },
    get assets() {
      return all().assets
    },
    // Read when it is used: it is large, and few need it.
    share: () => aroundData(readFileSync(join(folder, 'share.html'), 'utf8')),
  }
}

/** The page that replaces a web app that was not built. */
const UNBUILT = fileOf('unbuilt.html', readFileSync(new URL('../webapp/unbuilt.html', import.meta.url)))

/**
 * Sends the page of the web app, or that of those who label. Every address outside the API returns one, to everyone: it contains no
 * data, and the app in it shows what the address names.
 */
export const sendPage = (
  web: WebBuild | null,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): FastifyReply =>
  sendFile(
    request,
    reply.headers(RULES).header('cache-control', 'no-cache'),
    (path === '/review' || path.startsWith('/review/') ? web?.review : web?.page) ?? UNBUILT,
  )

/** The address of the page that checks receipts, as one file. */
export const CHECKER_PATH = '/check-receipt.html'

/**
 * Sends the page that checks receipts as a file to keep; null if the web app was not built. It is never shown here: its own
 * policy allows a script inside of it, and the policy of this server allows none.
 */
export const sendChecker = (web: WebBuild | null, request: FastifyRequest, reply: FastifyReply): FastifyReply | null =>
  web &&
  sendFile(
    request,
    reply.headers(RULES).headers({
      'cache-control': 'no-cache',
      'content-disposition': 'attachment; filename="check-receipt.html"',
    }),
    web.checker,
  )

/**
 * Sends an asset of the web app; null if there is none under that path. Its name contains a digest of its content, so a
 * browser may cache it for ever.
 */
export const sendAsset = (
  web: WebBuild | null,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): FastifyReply | null => {
  const file = web?.assets.get(path)
  return file ? sendFile(request, reply.headers(RULES).header('cache-control', FOR_EVER), file) : null
}

/** The caching of a file whose name contains a digest of its content. */
export const FOR_EVER = 'public, max-age=31536000, immutable'

/** Sends a file in the form that the client accepts, with `status`; 304 if the client has it. */
export const sendFile = ({ headers }: FastifyRequest, reply: FastifyReply, file: File, status = 200): FastifyReply => {
  const { type, etag, br, gzip } = file
  void reply.headers({ etag, vary: 'Accept-Encoding' })
  if (headers['if-none-match']?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))
    return reply.code(304).send()
  const accepted = acceptedCodings(headers['accept-encoding'])
  void reply.code(status).type(type)
  if (br && accepted.has('br')) return reply.header('content-encoding', 'br').send(br)
  if (gzip && accepted.has('gzip')) return reply.header('content-encoding', 'gzip').send(gzip)
  return reply.send(file.plain)
}
