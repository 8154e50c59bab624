import { UsageError, type Json } from '../json.ts'
import type { Ports } from '../ports.ts'
import { asObject } from './read-json.ts'
import type { Headers } from './wire/declared-headers.ts'

const VARIABLE = 'SERVICE_PROVIDER_HEADERS'

/**
 * The headers of `SERVICE_PROVIDER_HEADERS`, a JSON object of names and templates: every provider that speaks HTTP
 * sends them, except where the suite declares the same name. Throws `UsageError`, without the value of the variable.
 */
export const readProviderHeaders = (env: Ports['env']): Headers => {
  const text = env[VARIABLE]?.trim() ?? ''
  if (text === '') return {}
  const members = asObject(parsed(text))
  if (members === undefined) throw new UsageError(`${VARIABLE} must be a JSON object of header names and texts`)
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(members)) {
    if (typeof value !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      throw new UsageError(`${VARIABLE}: member ${JSON.stringify(name)} must be the name of a header with a text`)
    headers[name] = value
  }
  return headers
}

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    // The message of the parser quotes the value, which may be a secret.
    if (error instanceof SyntaxError) return null
    throw error
  }
}
