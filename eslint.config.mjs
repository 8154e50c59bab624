import { readFileSync } from 'node:fs'
import js from '@eslint/js'
import regexp from 'eslint-plugin-regexp'
import vue from 'eslint-plugin-vue'
import tseslint from 'typescript-eslint'
import ers from './eslint-plugin-ers.mjs'

// How Vue components and JavaScript are linted, with the rules that .oxlintrc.jsonc lists. oxlint lints TypeScript, in a
// sixth of the time. It cannot lint components, because it reads neither their templates nor their types.
const lines = readFileSync(new URL('.oxlintrc.jsonc', import.meta.url), 'utf8').split('\n')
const { rules } = JSON.parse(lines.filter((line) => !line.trimStart().startsWith('//')).join('\n'))
const listed = Object.entries(rules)
const ofJavaScript = Object.fromEntries(listed.filter(([name]) => !name.startsWith('typescript/')))
const ofComponents = Object.fromEntries(
  listed.map(([name, rule]) => [name.replace(/^typescript\//, '@typescript-eslint/'), rule]),
)

// This TypeScript project contains only the components. With the specs of the web app, reading the types would take
// longer.
const typed = {
  project: 'webapp/tsconfig.components.json',
  tsconfigRootDir: import.meta.dirname,
  extraFileExtensions: ['.vue'],
}

export default tseslint.config(
  { ignores: ['**/*.ts', 'node_modules/', 'dist/', 'webapp/dist/', 'spec/data/', 'data/', 'coverage/'] },
  { files: ['**/*.mjs'], extends: [js.configs.recommended], plugins: { regexp, ers }, rules: ofJavaScript },
  {
    files: ['**/*.vue'],
    plugins: { '@typescript-eslint': tseslint.plugin, regexp, ers },
    languageOptions: { parserOptions: typed },
    rules: {
      ...ofComponents,
      // oxlint needs an option to report variables that only types use, and ESLint has none.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['**/*.vue'],
    extends: [...vue.configs['flat/recommended']],
    languageOptions: { parserOptions: { ...typed, parser: tseslint.parser } },
    rules: {
      // oxfmt decides the layout of all files.
      ...vue.configs['no-layout-rules'].rules,
      'vue/multi-word-component-names': 'off',
      // An optional prop that is not given is undefined, and its type says so.
      'vue/require-default-prop': 'off',
      // Stored output is shown as text, never as HTML.
      'vue/no-v-html': 'error',
      'vue/no-v-text-v-html-on-component': 'error',
      // The content security policy forbids inline styles. A bound style is set through the CSSOM, which is allowed.
      'vue/no-static-inline-styles': ['error', { allowBinding: true }],
      // A prop for a data field has the same name as the field in the API, for example `case_key`.
      'vue/prop-name-casing': 'off',
    },
  },
  {
    files: ['cli/**/*.mjs'],
    // It asks only the server that it has started itself.
    ignores: ['cli/bootstrap/start.mjs'],
    rules: { 'ers/no-whole-body': 'error' },
  },
  // The action runs in a job of others, without the program.
  { files: ['ci/**'], rules: { 'ers/one-home': 'off' } },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly', Buffer: 'readonly' } },
  },
)
