const STEP = '  '

/** Levels of indentation, so that text of many levels does not become many times as long. */
const MAX_DEPTH = 60

/**
 * Indents JSON text without changing any character of a value, so that numbers keep all their digits. `text` must be
 * JSON, or the beginning of JSON.
 */
export const prettyJson = (text: string): string => {
  const out: string[] = []
  let depth = 0
  const line = (): void => void out.push(`\n${STEP.repeat(Math.min(depth, MAX_DEPTH))}`)
  // Matches whole strings first, so that their content is not read as syntax; then punctuation, then other values. A
  // string may be cut off at the end.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[{]\s*[\]}]|[[\]{},:]|[^\s"[\]{},:]+/gs)) {
    if (token === '{' || token === '[') {
      out.push(token)
      depth++
      line()
    } else if (token === '}' || token === ']') {
      depth--
      line()
      out.push(token)
    } else if (token === ',') {
      out.push(token)
      line()
    } else if (token === ':') out.push(': ')
    else out.push(/^[[{]/.test(token) ? token.replace(/\s/g, '') : token)
  }
  return out.join('')
}

/** The text of the value of `"config"`, exactly as the response has it. `config` is the response's last field. */
export const configText = (response: string): string => {
  const { run_id, config_digest } = JSON.parse(response) as { run_id: string; config_digest: string | null }
  const prefix = `{"run_id":${JSON.stringify(run_id)},"config_digest":${JSON.stringify(config_digest)},"config":`
  return response.startsWith(prefix)
    ? response.slice(prefix.length, -1)
    : JSON.stringify((JSON.parse(response) as { config: unknown }).config)
}
