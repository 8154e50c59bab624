import { blake3Digest } from '../../cache/canonical.ts'
import type { Templates } from '../../templates/templates.ts'
import { renderText, type Rendered, type Scopes } from './rendering.ts'

export type Headers = Readonly<Record<string, string>>

/** Joins headers whose later ones win. Names that differ only in case are one header, spelled as the later one. */
export const joinHeaders = (...layers: readonly Headers[]): Headers => {
  const joined = new Map<string, readonly [name: string, value: string]>()
  for (const layer of layers)
    for (const [name, value] of Object.entries(layer)) joined.set(name.toLowerCase(), [name, value])
  return Object.fromEntries(joined.values())
}

/** Renders declared headers, names as they are. Throws `TemplateError`. */
export const renderHeaders = (templates: Templates, headers: Headers, scopes: Scopes): Rendered<Headers> => {
  const rendered = Object.entries(headers).map(
    ([name, template]) => [name, renderText(templates, template, scopes)] as const,
  )
  return {
    sent: Object.fromEntries(rendered.map(([name, { sent }]) => [name, sent])),
    shown: Object.fromEntries(rendered.map(([name, { shown }]) => [name, shown])),
  }
}

/** `headers_digest` of declared headers as they are shown; null: none is declared. */
export const headersDigest = (shown: Headers): string | null =>
  Object.keys(shown).length === 0 ? null : blake3Digest(shown)
