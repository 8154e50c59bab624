// The transcript of an invented agent: sub-agents, calls of a model and of tools, errors, a limit and a score. The same bytes each time.

type Shape = {
  readonly events: number
  /** Bytes of the result of a tool, on average. */
  readonly resultBytes: number
  /** Another seed gives other arguments here and there. */
  readonly seed?: number
}

const START = Date.parse('2026-11-27T14:02:00Z')
const WORDS =
  'the parser reads a date of two digits and adds the century before it asks for the leap rule so the year is not the one that was meant'.split(
    ' ',
  )

/** Random numbers from a seed. */
const randomOf = (seed: number) => {
  let state = (seed * 2_654_435_761) >>> 0 || 1
  return (below: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

const AGENTS = ['main', 'explorer', 'test-writer', 'reviewer']
const TOOLS = ['bash', 'read_file', 'edit', 'search']

/** The lines of a transcript, in chunks of about a megabyte. */
export function* agentTranscript({ events, resultBytes, seed = 1 }: Shape): Generator<Buffer> {
  const random = randomOf(7)
  const other = randomOf(seed)
  const text = (words: number): string => Array.from({ length: words }, () => WORDS[random(WORDS.length)]).join(' ')
  let lines: string[] = []
  let size = 0
  let n = 0
  let ms = 0
  const put = (event: object): void => {
    const line = `${JSON.stringify(event)}\n`
    lines.push(line)
    size += line.length
    n++
  }
  const at = (): string => new Date(START + ms).toISOString()
  lines.push(
    `${JSON.stringify({ transcript: 1, source: { format: 'bench', version: '1' }, agent: { name: 'main', model: 'large-2' } })}\n`,
  )
  const parents = AGENTS.map((name) => name)
  for (const [i, name] of AGENTS.entries())
    put({ type: 'span', id: name, ...(i > 0 && { parent: 'main' }), kind: 'agent', name, at: at() })
  put({ type: 'message', parent: 'main', role: 'system', content: `You repair code.\n\n${text(300)}`, at: at() })
  put({
    type: 'message',
    parent: 'main',
    role: 'user',
    content:
      'The suite `tests/dates` fails since the last release. Find out **why**, repair the parser, and leave every other test as it is.',
    at: at(),
  })
  let messages = 2
  let step = 0
  while (n < events - 2) {
    const agent = parents[n > (events * 3) / 4 ? (n > (events * 9) / 10 ? 3 : 0) : random(3)] ?? 'main'
    let parent = agent
    if (random(40) === 0) {
      parent = `step ${step++}`
      put({ type: 'span', id: parent, parent: agent, kind: 'step', name: `plan ${step}`, at: at() })
    }
    ms += random(900)
    const call = `call_${n}`
    const tool = TOOLS[random(TOOLS.length)]
    const given = {
      command: `npm test -- tests/${WORDS[random(WORDS.length)]}/${other(50) === 0 ? 'other' : n % 977}`,
      timeout: 120,
    }
    put({
      type: 'model',
      parent,
      model: 'agent-large-2',
      at: at(),
      ms: 400 + random(8000),
      input: [[0, messages - 1]],
      output: [[messages, messages]],
      stop_reason: 'tool_calls',
      usage: { input_tokens: 2000 + messages, output_tokens: 20 + random(400), cache_read_tokens: 4000 },
      cost_usd: 0.0271,
    })
    put({
      type: 'message',
      parent,
      role: 'assistant',
      content: [
        { type: 'reasoning', reasoning: text(30) },
        { type: 'text', text: text(24) },
      ],
      tool_calls: [{ id: call, name: tool, arguments: given }],
      at: at(),
    })
    ms += random(4000)
    const failed = random(220) === 0
    const output = `> vitest run\n\n${Array.from({ length: Math.ceil((resultBytes * (50 + random(100))) / 100 / 130) }, (_, i) => `  ${failed && i === 3 ? '✕' : '✓'} ${text(18)} (${random(90)} ms)`).join('\n')}`
    put({
      type: 'tool',
      parent,
      call,
      name: tool,
      arguments: given,
      result: output,
      at: at(),
      ms: random(5000),
      ...(failed && { error: { message: 'exit 1' } }),
    })
    put({ type: 'message', parent, role: 'tool', content: output.slice(0, 400), at: at() })
    messages += 2
    if (size >= 1024 * 1024) {
      yield Buffer.from(lines.join(''))
      lines = []
      size = 0
    }
  }
  put({ type: 'limit', parent: 'test-writer', limit: { type: 'tokens', value: 500_000 }, at: at() })
  put({ type: 'score', name: 'tests pass', value: 0, passed: false, reason: 'One test of 412 fails.', at: at() })
  yield Buffer.from(lines.join(''))
}
