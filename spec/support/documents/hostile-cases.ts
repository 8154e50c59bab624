import { aCase, aDocument, type ACase, type ADocument } from './documents.ts'

export const HOSTILE_RUN = 'hostile'
/** A host that never responds. A request to it means that the browser interpreted stored text. */
const ELSEWHERE = 'https://elsewhere.invalid'

const MARKUP = [
  `<script>document.title = 'taken over'; fetch('${ELSEWHERE}/script')</script>`,
  `<img src="${ELSEWHERE}/image.png" onerror="document.title = 'taken over'">`,
  '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">',
  `<a href="javascript:document.title='taken over'">press</a> [press](javascript:alert(1)) ![seen](${ELSEWHERE}/markdown.png)`,
  `<iframe src="${ELSEWHERE}/frame"></iframe><link rel="stylesheet" href="${ELSEWHERE}/style.css"><style>body { display: none }</style>`,
  `# A heading\n\n**bold** \`code\` ${ELSEWHERE}/plain`,
  '{{ constructor.constructor("document.title = 1")() }} </template></div></section>',
].join('\n')

/** 130 KB with script tags, right-to-left text, emoji, and unterminated lines. */
export const LONG_OUTPUT =
  `${MARKUP}\n${'<script>alert("𝒽")</script> שלום עולם مرحبا 👩‍👩‍👧‍👦 plain words \u202e '.repeat(2_000)}`.slice(0, 130_000)

const caseNamed = (test_id: string, fields: Omit<Partial<ACase>, 'cell'> = {}): ACase =>
  aCase({ cell: { test_id }, name: `Case of ${test_id}`, ...fields })

/** Hostile cases, by what is hostile in them. */
export const HOSTILE = {
  markup: caseNamed('markup', {
    name: MARKUP.slice(0, 200),
    output: MARKUP,
    status: 'fail',
    reasoning: MARKUP,
    asserts: [
      {
        kind: 'contains',
        status: 'fail',
        score: 0,
        weight: 1,
        reason: MARKUP,
        criteria: { type: 'contains', value: MARKUP, negate: true },
      },
    ],
  }),
  long: caseNamed('long', { output: LONG_OUTPUT }),
  unseen: caseNamed('unseen', {
    output: 'nul \u0000\u0000\u0000 bell \u0007 override \u202etxt.exe\u202c tags \u{e0041}\u{e0042} mark \ufeff end',
  }),
  written: caseNamed('written', { output: 'שלום, עולם!\nمی‌خواهم\n👩‍👩‍👧‍👦 and 🏴󠁧󠁢󠁥󠁮󠁧󠁿 and ❤️\nZ\u0335\u0321\u0334a\u0337lgo' }),
  refused: caseNamed('refused', {
    status: 'error',
    output: '',
    error: 'the provider gave no content',
    error_class: 'provider_protocol',
    error_details: { status: 200, body: { choices: [] } },
    empty_reason: 'refusal',
    stop_reason: 'refusal',
    asserts: [],
  }),
  structured: caseNamed('structured', {
    output: {
      order: '@12345678901234567890@',
      items: [
        { name: 'a', price: 0.1 },
        { name: MARKUP, price: null },
      ],
      deep: { deeper: { deepest: [true] } },
    },
  }),
  /** Members that Vue gives to its own objects. */
  framework: caseNamed('framework', {
    output: { __v_isRef: true, value: 'a part', rest: 'the rest of the output' },
    vars: { __v_isRef: true, value: 'a part', rest: 'the rest of the variables' },
    raw: { __v_isRef: true, value: 'a part', rest: 'the rest of the raw answer', __v_skip: true, __v_raw: 'raw' },
  }),
  calls: caseNamed('calls', {
    prompt: {
      messages: [
        { role: 'system', content: 'You book flights.' },
        { role: 'user', content: [{ type: 'text', text: 'Book one.' }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Which one?' },
            { type: 'text', text: 'Looking.' },
          ],
          tool_calls: [{ id: 'c1', name: 'search', arguments: { from: 'ATL', to: MARKUP } }],
        },
        { role: 'tool', content: MARKUP, tool_call_id: 'c1' },
      ],
    },
    output: 'Booked.',
    tool_calls: [{ id: 'c1', name: 'search', arguments: { from: 'ATL' } }],
    request: { model: 'm', temperature: 0 },
    usage: { input_tokens: 610, output_tokens: 9, cache_read_tokens: 300 },
    cost_usd: 0.0042,
    latency_ms: 2100,
    raw: { id: 'x' },
    asserts: [
      {
        kind: 'llm-rubric',
        status: 'pass',
        score: 0.8,
        weight: 2,
        reason: 'reads well',
        cached: true,
        cost_usd: 0.0012,
        criteria: { type: 'llm-rubric', value: 'Is it polite?', threshold: 0.5 },
      },
      {
        kind: 'tool-call',
        status: 'skipped',
        score: 0,
        weight: 1,
        reason: '',
        criteria: { type: 'tool-call', name: 'search', args: { from: 'ATL' } },
      },
    ],
  }),
  expected: caseNamed('expected', { status: 'xfail', output: 'no', expect_fail_reason: 'a known fault', score: 0 }),
  key: aCase({ cell: { test_id: 'key' }, case_key: 'a/../b.c/ü?#%2F', output: 'found' }),
} as const

/** The run of these cases as a client writes it: with a number that no double can represent. */
export const hostileRun = (): string =>
  JSON.stringify(
    aDocument({ run_id: HOSTILE_RUN, project: 'hostile', suite: 'all', cases: Object.values(HOSTILE) }),
  ).replace(/"@(\d+)@"/, '$1')

/** Runs of one suite in which a case passes, is missing, fails and passes again; its other trial always passes. */
export const trialRuns = (): ADocument[] =>
  (['pass', null, 'fail', 'pass'] as const).map((status, n) => {
    const finishedAt = `2026-05-0${n + 1}T09:00:00Z`
    const cases = [
      aCase({ cell: { test_id: 'flaky', repeat: 1 }, output: 'steady' }),
      ...(status ? [aCase({ cell: { test_id: 'flaky' }, status, output: `answer ${n}` })] : []),
      aCase({ cell: { test_id: 'other' }, status: 'fail' }),
    ]
    return aDocument({
      run_id: `trial-${n}`,
      project: 'chat',
      suite: 'flaky',
      started_at: finishedAt,
      finished_at: finishedAt,
      cases,
    })
  })
