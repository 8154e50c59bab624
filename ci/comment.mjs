// The step that writes the summary as a comment on the pull request, or updates the one that is there.
/* global fetch, AbortSignal */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { characters, fit, MAX_COMMENT_CHARACTERS } from './fit.mjs'
import { annotate, isTrue, variable } from './runner.mjs'

const PER_PAGE = 100
/** Far more comments than a pull request can have. */
const MAX_PAGES = 1_000
const MAX_ATTEMPTS = 4
const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 60_000
const TIMEOUT_MS = 30_000

/** GitHub answered with an error. The job continues: its summary has the same text. */
class RequestFailed extends Error {
  constructor(status, message, { isPassing = false, delayMs = null } = {}) {
    super(`GitHub answers ${status}: ${message}`)
    this.status = status
    this.isPassing = isPassing
    this.delayMs = delayMs
  }
}

export const comment = async () => {
  if (!isTrue('COMMENT')) return 0
  const number = pullRequest()
  if (number === null) {
    annotate('notice', 'this is no pull request, so there is no comment')
    return 0
  }
  const file = variable('SUMMARY_PATH')
  if (file === '') return 0
  try {
    await write(number, readFileSync(file, 'utf8'))
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error
    const hint =
      error.status === 403
        ? '. The token of a fork may not comment; elsewhere the job needs `pull-requests: write`'
        : ''
    annotate('warning', `no comment was written: ${error.message}${hint}. The summary of the job has the results`)
  }
  return 0
}

const pullRequest = () => {
  const file = variable('GITHUB_EVENT_PATH')
  if (file === '') return null
  const { pull_request } = JSON.parse(readFileSync(file, 'utf8'))
  return Number.isSafeInteger(pull_request?.number) ? pull_request.number : null
}

const write = async (number, summary) => {
  const comments = `/repos/${variable('GITHUB_REPOSITORY')}/issues/${number}/comments`
  const marker = `<!-- ers:${encodeURIComponent(variable('INPUT_ARTIFACT_NAME'))} -->`
  for (let limit = MAX_COMMENT_CHARACTERS; ; limit = Math.floor(limit / 2)) {
    const fitted = fit(summary, { limit: limit - marker.length - 1, size: characters, page: variable('RUN_URL') })
    try {
      return await writeBody(comments, marker, `${marker}\n${fitted}`)
    } catch (error) {
      // GitHub may count another length than this program: the body is halved until it is taken.
      if (!(error instanceof RequestFailed) || error.status !== 422 || limit < 1_000) throw error
    }
  }
}

/**
 * Updates our comment, or creates one. After a failure it is looked for again: GitHub may have created it all the same, and a
 * second one would stay for ever. A comment that was deleted meanwhile is created again.
 */
const writeBody = async (comments, marker, body) => {
  for (let attempt = 1; ; attempt++) {
    const id = await findComment(comments, marker)
    try {
      return id === null
        ? await request('POST', comments, { content: { body }, attempts: 1 })
        : await request('PATCH', `${comments.slice(0, comments.indexOf('/issues/'))}/issues/comments/${id}`, {
            content: { body },
          })
    } catch (error) {
      if (!(error instanceof RequestFailed) || attempt === MAX_ATTEMPTS) throw error
      const isGone = id !== null && error.status === 404
      if (!isGone && !(id === null && error.isPassing)) throw error
      if (!isGone) await sleep(error.delayMs ?? delayBeforeMs(attempt))
    }
  }
}

/** The id of our comment; null without one. It begins with the marker: a quotation of it by another person does not. */
const findComment = async (comments, marker) => {
  const isOurs = await ownAuthor()
  for (let page = 1; page <= MAX_PAGES; page++) {
    const found = await request('GET', `${comments}?per_page=${PER_PAGE}&page=${page}`)
    if (!Array.isArray(found)) throw new RequestFailed(200, 'no list of comments')
    const ours = found.find((item) => item.body?.startsWith(marker) && isOurs(item.user))
    if (ours !== undefined) return ours.id
    if (found.length < PER_PAGE) return null
  }
  return null
}

/** Whether a comment is by the owner of the token. The token of a job belongs to no account: its comments are by a bot. */
const ownAuthor = async () => {
  try {
    const { login } = (await request('GET', '/user')) ?? {}
    return (user) => user?.login === login
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error
    return (user) => user?.type === 'Bot'
  }
}

/** Sends a request, again after a failure that may pass. Returns the JSON of the answer. Throws `RequestFailed`. */
const request = async (method, path, { content, attempts = MAX_ATTEMPTS } = {}) => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(method, path, content)
    } catch (error) {
      if (!(error instanceof RequestFailed) || !error.isPassing || attempt === attempts) throw error
      await sleep(error.delayMs ?? delayBeforeMs(attempt))
    }
  }
}

const send = async (method, path, content) => {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${variable('INPUT_GITHUB_TOKEN')}`,
    'user-agent': 'evaluation-results-action',
    'x-github-api-version': '2022-11-28',
    ...(content === undefined ? {} : { 'content-type': 'application/json' }),
  }
  let response, text
  try {
    response = await fetch(`${variable('GITHUB_API_URL')}${path}`, {
      method,
      headers,
      body: content === undefined ? null : JSON.stringify(content),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    text = await response.text()
  } catch (error) {
    throw new RequestFailed('nothing', error.cause?.message ?? error.message, { isPassing: true })
  }
  const { ok, status, statusText } = response
  if (ok) return parsed(text)
  const retryAfter = response.headers.get('retry-after') ?? ''
  throw new RequestFailed(status, parsed(text)?.message ?? statusText, {
    isPassing: status === 429 || status >= 500,
    delayMs: /^\d+$/.test(retryAfter) ? Math.min(Number(retryAfter) * 1_000, MAX_DELAY_MS) : null,
  })
}

const delayBeforeMs = (attempt) => FIRST_DELAY_MS * 2 ** (attempt - 1)

const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    // A proxy in between sends a page.
    return null
  }
}
