import type { ApiKey } from '../../../queries/access/api-keys.ts'

/** The variable from which each snippet reads the key, so that no file contains it. */
const VARIABLE = 'SERVICE_TOKEN'

type Key = Pick<ApiKey, 'scope' | 'project' | 'suite'>
type Snippet = {
  readonly label: string
  /** Where the key is put. */
  readonly place: string
  readonly language: 'yaml' | 'sh' | 'python' | 'ts'
  readonly code: (origin: string, key: Key) => string
}

/** The project and the suite of imported results: those of the limit, or examples. */
const setOf = ({ project, suite }: Key): Array<readonly [string, string]> => [
  ['project', project ?? 'my-project'],
  ...(suite === null ? [] : [['suite', suite] as const]),
]

/** A query that is safe between single quotes of a shell. */
const queryOf = (key: Key): string =>
  setOf(key)
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("'", '%27')}`)
    .join('&')

const curl = (origin: string, key: Key): string =>
  key.scope === 'read'
    ? `curl --fail-with-body -H "Authorization: Bearer $${VARIABLE}" '${origin}/api/v1/runs?limit=5'`
    : `curl --fail-with-body -H "Authorization: Bearer $${VARIABLE}" -H 'Content-Type: application/octet-stream' --data-binary @results.json '${origin}/api/v1/import?name=results.json&${queryOf(key)}'`

const gitlab = (origin: string, key: Key): string =>
  `evals:\n  image: curlimages/curl\n  script:\n    - |\n      ${curl(origin, key)}`

/** JSON texts are texts of YAML, Python and TypeScript too. */
const text = (value: string): string => JSON.stringify(value)

const github = (origin: string, key: Key): string =>
  key.scope === 'read'
    ? ['- env:', `    ${VARIABLE}: \${{ secrets.${VARIABLE} }}`, '  run: |', `    ${curl(origin, key)}`].join('\n')
    : [
        '- uses: your-org/evaluation-results-service@main',
        '  with:',
        '    results: results.json',
        `    server-url: ${text(origin)}`,
        `    token: \${{ secrets.${VARIABLE} }}`,
        ...setOf(key).map(([name, value]) => `    ${name}: ${text(value)}`),
      ].join('\n')

const python = (origin: string, key: Key): string =>
  [
    'import os',
    'from pathlib import Path',
    'from ers_client import ErsClient',
    '',
    `ers = ErsClient(${text(origin)}, os.environ[${text(VARIABLE)}])`,
    ...(key.scope === 'read'
      ? ['for run in ers.iter_runs():', '    print(run["id"], run["pass_rate"])']
      : [
          `ers.import_file(Path("results.json"), ${setOf(key)
            .map(([name, value]) => `${name}=${text(value)}`)
            .join(', ')})`,
        ]),
  ].join('\n')

const typescript = (origin: string, key: Key): string =>
  [
    ...(key.scope === 'read' ? [] : ["import { readFile } from 'node:fs/promises'"]),
    "import { connect } from 'evaluation-results-client'",
    '',
    `const ers = connect({ url: ${text(origin)}, token: process.env.${VARIABLE} })`,
    ...(key.scope === 'read'
      ? ['for await (const run of ers.runs({})) console.log(run.id, run.pass_rate)']
      : [
          `await ers.importFile(new File([await readFile('results.json')], 'results.json'), ${JSON.stringify(Object.fromEntries(setOf(key)))})`,
        ]),
  ].join('\n')

/** How a program uses a new key: what it uploads with one that may write, what it reads with another. */
export const KEY_SNIPPETS: Readonly<Record<string, Snippet>> = {
  github: {
    label: 'GitHub Actions',
    place: `the secret ${VARIABLE} of the repository`,
    language: 'yaml',
    code: github,
  },
  gitlab: {
    label: 'GitLab',
    place: `the masked variable ${VARIABLE} of the project`,
    language: 'yaml',
    code: gitlab,
  },
  curl: { label: 'curl', place: `the variable ${VARIABLE}`, language: 'sh', code: curl },
  python: { label: 'Python', place: `the variable ${VARIABLE}`, language: 'python', code: python },
  typescript: { label: 'TypeScript', place: `the variable ${VARIABLE}`, language: 'ts', code: typescript },
}
