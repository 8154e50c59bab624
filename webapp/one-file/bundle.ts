import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import vue from '@vitejs/plugin-vue'
import { build, type Plugin } from 'vite'
import { stylePlugins } from '../styles/style-plugins.ts'

/** The script and the style of a page that is one file. */
export type Bundle = { readonly script: string; readonly style: string }

/** Uses other modules in place of some, by their paths. */
const replaceModules = (replaced: ReadonlyMap<string, string>): Plugin => ({
  name: 'replace-modules',
  enforce: 'pre',
  async resolveId(source, importer) {
    if (replaced.size === 0 || !source.startsWith('.')) return null
    const found = await this.resolve(source, importer, { skipSelf: true })
    const by = found && replaced.get(found.id)
    // The module in its place may use the replaced one. Parts of a component have its path and a query.
    return by === importer?.split('?', 1)[0] ? null : (by ?? null)
  },
})

/** Builds the script and the style of a page, each as one text. */
export const bundle = async (entry: string, replaced: ReadonlyMap<string, string> = new Map()): Promise<Bundle> => {
  const built = await build({
    configFile: false,
    root: dirname(entry),
    logLevel: 'warn',
    plugins: [replaceModules(replaced), vue(), ...stylePlugins],
    define: { __VUE_OPTIONS_API__: false },
    build: {
      write: false,
      target: 'es2022',
      cssCodeSplit: false,
      modulePreload: false,
      rolldownOptions: {
        input: entry,
        output: { format: 'iife', codeSplitting: false },
        // Code that loads scripts from their addresses is never reached: there is only one script.
        checks: { emptyImportMeta: false, bundlerTimings: false },
      },
    },
  })
  const files = [built].flat().flatMap((one) => ('output' in one ? one.output : []))
  const script = files.flatMap((file) => (file.type === 'chunk' ? [file.code] : []))
  const style = files.flatMap((file) => (file.type === 'asset' ? [String(file.source)] : []))
  if (script.length !== 1 || style.length !== 1)
    throw new Error(`the page of ${entry} must be one script and one style`)
  // In HTML the text of a script ends at the first end tag, even inside of a string, and after the start of a comment it
  // may end later.
  const text = script
    .join('')
    .replaceAll('</script', String.raw`<\/script`)
    .replaceAll('<!--', String.raw`\x3c!--`)
  return { script: text, style: style.join('') }
}

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/**
 * A page as one file. Its policy allows exactly its own script and style, and no request at all; with `media`, also pictures
 * and sounds that are in the page itself.
 */
export const pageHtml = (
  { script, style }: Bundle,
  { title, body, media = false }: { readonly title: string; readonly body: string; readonly media?: boolean },
): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${sourceOf(script)}; style-src ${sourceOf(style)}; ${media ? 'img-src data:; media-src data:; ' : ''}base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
${body}
<script>${script}</script>
</body>
</html>
`
