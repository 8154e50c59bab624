/** A language in which `ers init` can write the program that answers. */
export type Language = 'node' | 'python' | 'bash'

export const LANGUAGES: readonly Language[] = ['node', 'python', 'bash']

/** A program that speaks exec protocol 1: its file, the command that starts it, its text. */
type Program = { readonly file: string; readonly command: readonly string[]; readonly text: string }

const NODE = `// Answers in place of a model. Exec protocol 1: one JSON request on standard input,
// one JSON response on standard output. Messages for people go to standard error.
const CAPITALS = { France: 'Paris', Peru: 'Lima', Australia: 'Sydney' }

let text = ''
for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk
const request = JSON.parse(text)

// The request has the rendered prompt too: request.prompt.text
const { country } = request.vars
const output = Object.hasOwn(CAPITALS, country)
  ? \`The capital of \${country} is \${CAPITALS[country]}.\`
  : 'I do not know.'
process.stdout.write(JSON.stringify({ output }))
`

const PYTHON = `# Answers in place of a model. Exec protocol 1: one JSON request on standard input,
# one JSON response on standard output. Messages for people go to standard error.
import json
import sys

CAPITALS = {"France": "Paris", "Peru": "Lima", "Australia": "Sydney"}

request = json.loads(sys.stdin.buffer.read().decode("utf-8"))

# The request has the rendered prompt too: request["prompt"]["text"]
country = request["vars"]["country"]
if country in CAPITALS:
    output = f"The capital of {country} is {CAPITALS[country]}."
else:
    output = "I do not know."
json.dump({"output": output}, sys.stdout)
`

const BASH = `#!/usr/bin/env bash
# Answers in place of a model. Exec protocol 1: one JSON request on standard input,
# one JSON response on standard output. Messages for people go to standard error.
set -euo pipefail

request=$(cat)

# Bash has no JSON parser. This pattern is enough for a var that is a plain name: inside a JSON text
# every quote is escaped, so it cannot match there. Use jq for anything more.
pattern='"country"[[:space:]]*:[[:space:]]*"([^"\\\\]*)"'
country=''
if [[ $request =~ $pattern ]]; then country=\${BASH_REMATCH[1]}; fi

# Only texts of this file are written, so they need no escaping.
case $country in
  France) output='The capital of France is Paris.' ;;
  Peru) output='The capital of Peru is Lima.' ;;
  Australia) output='The capital of Australia is Sydney.' ;;
  *) output='I do not know.' ;;
esac
printf '{"output":"%s"}\\n' "$output"
`

/** The program of each language. All three answer alike. */
export const PROGRAMS: Readonly<Record<Language, Program>> = {
  node: { file: 'answer.mjs', command: ['node', 'answer.mjs'], text: NODE },
  python: { file: 'answer.py', command: ['python3', 'answer.py'], text: PYTHON },
  bash: { file: 'answer.sh', command: ['bash', 'answer.sh'], text: BASH },
}
