import type { Plugin } from 'vite'

/** Puts the styles of components into the layer `parts`, whose place `app.css` names. */
const partStyles: Plugin = {
  name: 'part-styles',
  transform: (code, id) => (id.includes('?vue&type=style') ? `@layer parts{${code}}` : null),
}

const PAIR = /light-dark\(([^,()]*(?:\([^()]*\))?), ([^,()]*(?:\([^()]*\))?)\)/g

/** Writes `light-dark(a, b)` as a token of each theme, for browsers that do not know it. Only `:root` may have such tokens. */
const themes: Plugin = {
  name: 'themes',
  transform: (code, id) => {
    if (!id.endsWith('/styles/app.css')) return null
    const tokens = code
      .split(';')
      .filter((declaration) => declaration.includes('light-dark('))
      .map((declaration) => `${declaration.slice(declaration.lastIndexOf('  --')).trim().replace(PAIR, '$2')};`)
    const dark = `color-scheme:dark;${tokens.join('')}`
    return `${code.replace(PAIR, '$1').replace('color-scheme: light dark', 'color-scheme: light')}
@media (prefers-color-scheme:dark){:root:not([data-theme='light']){${dark}}}
:root[data-theme='dark']{${dark}}`
  },
}

export const stylePlugins: readonly Plugin[] = [partStyles, themes]
