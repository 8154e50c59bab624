// The tree of the site, from the list of pages in docs/README.md and the document of the API.

type Leaf = { readonly text: string; readonly link: string }
type Group = { readonly text: string; readonly items: Leaf[] }

/** The address of a page on the site, without its base. */
const addressOf = (path: string): string => `/${path.replace(/(?:^|(?<=\/))index\.md$|\.md$/, '')}`

/** The sections of the list with the page that each item begins with. `pageOf` returns the page of a link of the list. */
export const treeOf = (list: string, pageOf: (link: string) => string): Group[] =>
  list
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.split('\n', 1)[0] ?? '',
      items: [...section.matchAll(/^- \[([^\]]+)\]\(([^)#]+\.md)\)/gm)].map(([, text = '', link = '']) => ({
        text,
        link: addressOf(pageOf(link)),
      })),
    }))

/** The group of the reference of the API: its pages by their paths. */
export const apiGroup = (pages: ReadonlyMap<string, string>): Group => ({
  text: 'API',
  items: [...pages].map(([path, text]) => ({
    text: path === 'api/index.md' ? 'All routes' : titleOf(text),
    link: addressOf(path),
  })),
})

const titleOf = (markdown: string): string => /^# (?:API: )?(.+)$/m.exec(markdown)?.[1] ?? ''
