import js from '@eslint/js'
import regexp from 'eslint-plugin-regexp'
import vue from 'eslint-plugin-vue'
import tseslint from 'typescript-eslint'
import ers from './eslint-plugin-ers.mjs'

// How Vue components and JavaScript are linted. TypeScript is linted by oxlint (.oxlintrc.jsonc), with the same rules,
// in a sixth of the time. oxlint cannot lint components, because it reads neither their templates nor their types.
// Change a rule in both files.

// This TypeScript project contains only the components. With the specs of the web app, reading the types would take
// longer.
const typed = {
  project: 'webapp/tsconfig.components.json',
  tsconfigRootDir: import.meta.dirname,
  extraFileExtensions: ['.vue'],
}

export default tseslint.config(
  { ignores: ['**/*.ts', 'node_modules/', 'dist/', 'webapp/dist/', 'spec/data/', 'data/', 'coverage/'] },
  js.configs.recommended,
  {
    files: ['**/*.vue', '**/*.mjs'],
    plugins: { regexp },
    rules: {
      // A slow match would block all requests. So the time of a match may only grow in proportion to the length of the
      // text.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    files: ['**/*.vue'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: typed },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      'no-constant-condition': ['error', { checkLoops: false }],
      eqeqeq: 'error',
      'no-control-regex': 'off',
    },
  },
  {
    files: ['**/*.vue'],
    extends: [...vue.configs['flat/recommended']],
    languageOptions: { parserOptions: { ...typed, parser: tseslint.parser } },
    rules: {
      // vue-tsc reports undefined names.
      'no-undef': 'off',
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
    plugins: { ers },
    rules: { 'ers/no-whole-body': 'error' },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly', Buffer: 'readonly' } },
  },
)
