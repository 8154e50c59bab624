import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import vue from '@vitejs/plugin-vue'
import { build } from 'vite'
import type { Plugin } from 'vite'

const ENTRY = fileURLToPath(new URL('one-file.ts', import.meta.url))

/** Builds the script and the style of the page, each as one text. */
const bundle = async (): Promise<{ readonly script: string; readonly style: string }> => {
  const built = await build({
    configFile: false,
    root: fileURLToPath(new URL('.', import.meta.url)),
    logLevel: 'warn',
    plugins: [vue()],
    define: { __VUE_OPTIONS_API__: false },
    build: {
      write: false,
      target: 'es2022',
      cssCodeSplit: false,
      modulePreload: false,
      rolldownOptions: { input: ENTRY, output: { format: 'iife', codeSplitting: false } },
    },
  })
  const files = [built].flat().flatMap((one) => ('output' in one ? one.output : []))
  const script = files.flatMap((file) => (file.type === 'chunk' ? [file.code] : []))
  const style = files.flatMap((file) => (file.type === 'asset' ? [String(file.source)] : []))
  if (script.length !== 1 || style.length !== 1)
    throw new Error('the page for receipts must be one script and one style')
  // In HTML the text of a script ends at the first end tag, even inside of a string.
  return { script: script.join('').replaceAll('</script', String.raw`<\/script`), style: style.join('') }
}

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The page as one file. Its policy allows exactly its own script and style, and no request at all. */
const pageOf = ({ script, style }: { readonly script: string; readonly style: string }): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${sourceOf(script)}; style-src ${sourceOf(style)}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Check a receipt · Evaluation Results</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Check a receipt</h1>
<p class="m2">A receipt shows that this exact document was recorded in a log where later changes can be detected. It does not show that the result is true. This page is one file: it needs no server, and it cannot send anything.</p>
<div id="app"></div>
<noscript>Checking needs JavaScript. <code>ers check-receipt</code> checks receipts too.</noscript>
</main>
<script>${script}</script>
</body>
</html>
`

/** Adds the page for receipts to a build, as the one file `check-receipt.html`. */
export const oneFile: Plugin = {
  name: 'one-file',
  apply: 'build',
  async generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'check-receipt.html', source: pageOf(await bundle()) })
  },
}
