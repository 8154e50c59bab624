import type { LanguageFn } from 'highlight.js'

type Grammar = () => Promise<{ readonly default: LanguageFn }>

/** The grammars, by their names in highlight.js. Each is a script of its own. JSON needs none. */
const GRAMMARS: Readonly<Record<string, Grammar>> = {
  arduino: () => import('highlight.js/lib/languages/arduino'),
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  go: () => import('highlight.js/lib/languages/go'),
  graphql: () => import('highlight.js/lib/languages/graphql'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  less: () => import('highlight.js/lib/languages/less'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  objectivec: () => import('highlight.js/lib/languages/objectivec'),
  perl: () => import('highlight.js/lib/languages/perl'),
  php: () => import('highlight.js/lib/languages/php'),
  'php-template': () => import('highlight.js/lib/languages/php-template'),
  plaintext: () => import('highlight.js/lib/languages/plaintext'),
  python: () => import('highlight.js/lib/languages/python'),
  'python-repl': () => import('highlight.js/lib/languages/python-repl'),
  r: () => import('highlight.js/lib/languages/r'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scss: () => import('highlight.js/lib/languages/scss'),
  shell: () => import('highlight.js/lib/languages/shell'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  vbnet: () => import('highlight.js/lib/languages/vbnet'),
  wasm: () => import('highlight.js/lib/languages/wasm'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
}

/** Other names of the languages. highlight.js has them in the grammars, but a grammar is loaded by its name. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  arduino: ['ino'],
  bash: ['sh', 'zsh'],
  c: ['h'],
  cpp: ['cc', 'c++', 'h++', 'hpp', 'hh', 'hxx', 'cxx'],
  csharp: ['cs', 'c#'],
  diff: ['patch'],
  go: ['golang'],
  graphql: ['gql'],
  ini: ['toml'],
  java: ['jsp'],
  javascript: ['js', 'jsx', 'mjs', 'cjs'],
  kotlin: ['kt', 'kts'],
  lua: ['pluto'],
  makefile: ['mk', 'mak', 'make'],
  markdown: ['md', 'mkdown', 'mkd'],
  objectivec: ['mm', 'objc', 'obj-c', 'obj-c++', 'objective-c++'],
  perl: ['pl', 'pm'],
  plaintext: ['text', 'txt'],
  python: ['py', 'gyp', 'ipython'],
  'python-repl': ['pycon'],
  ruby: ['rb', 'gemspec', 'podspec', 'thor', 'irb'],
  rust: ['rs'],
  shell: ['console', 'shellsession'],
  typescript: ['ts', 'tsx', 'mts', 'cts'],
  vbnet: ['vb'],
  xml: ['html', 'xhtml', 'rss', 'atom', 'xjb', 'xsd', 'xsl', 'plist', 'wsf', 'svg'],
  yaml: ['yml'],
}
const NAMES = new Map(Object.entries(ALIASES).flatMap(([name, aliases]) => aliases.map((alias) => [alias, name])))

/** Languages that are found inside another one. Without their grammars, those parts have no colours. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'php-template': ['xml', 'php'],
  'python-repl': ['python'],
  shell: ['bash'],
  xml: ['css', 'javascript'],
  markdown: ['xml'],
}

/** The grammars that a language needs, by name; none if the language is not known. */
export const loadGrammars = async (language: string): Promise<Record<string, LanguageFn>> => {
  const name = NAMES.get(language) ?? language
  const needed = [name, ...(Object.hasOwn(PARTS, name) ? (PARTS[name] ?? []) : [])]
  const grammars = await Promise.all(
    needed.map(async (each) => {
      const load = Object.hasOwn(GRAMMARS, each) ? GRAMMARS[each] : undefined
      return load ? [[each, (await load()).default] as const] : []
    }),
  )
  return Object.fromEntries(grammars.flat())
}
