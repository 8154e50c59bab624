const STEP = '  '

/**
 * JSON text on lines of its own, indented; not a character of a value is changed, so numbers keep all their digits.
 * `text` is JSON.
 */
export const prettyJson = (text: string): string => {
  const out: string[] = []
  let depth = 0
  const line = (): void => void out.push(`\n${STEP.repeat(depth)}`)
  // Strings whole, so that what stands in them is no sign of the text; then signs, then what is between.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|[^\s"[\]{},:]+/gs)) {
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

/** What stands under `"config":`, as it is written, in an answer that ends with it. */
export const configText = (answer: string): string => {
  const { run_id, config_digest } = JSON.parse(answer) as { run_id: string; config_digest: string | null }
  const before = `{"run_id":${JSON.stringify(run_id)},"config_digest":${JSON.stringify(config_digest)},"config":`
  return answer.startsWith(before)
    ? answer.slice(before.length, -1)
    : JSON.stringify((JSON.parse(answer) as { config: unknown }).config)
}
