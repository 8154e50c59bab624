import js from '@eslint/js'
import regexp from 'eslint-plugin-regexp'
import vue from 'eslint-plugin-vue'
import tseslint from 'typescript-eslint'

// How Vue components and JavaScript are linted. TypeScript is linted by oxlint (.oxlintrc.jsonc), with the same rules,
// in a sixth of the time; it sees neither the templates nor the types of a component. A rule that is added or changed
// here is added or changed there.

// A project of the components alone: with the specs of the web app in it, reading the types takes longer.
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
      // One request must not stop all others: the time of a match grows with the length of the text, and no faster.
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
      // vue-tsc knows what is defined.
      'no-undef': 'off',
      // oxfmt lays out all files alike.
      ...vue.configs['no-layout-rules'].rules,
      'vue/multi-word-component-names': 'off',
      // Optional props are undefined where they are not given, as the types say.
      'vue/require-default-prop': 'off',
      // Stored output is text: nothing is ever made into HTML.
      'vue/no-v-html': 'error',
      'vue/no-v-text-v-html-on-component': 'error',
      // The content policy refuses inline styles; a bound style goes through the CSSOM.
      'vue/no-static-inline-styles': ['error', { allowBinding: true }],
      // A name of data stays as the wire spells it, `case_key`.
      'vue/prop-name-casing': 'off',
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly', Buffer: 'readonly' } },
  },
)
