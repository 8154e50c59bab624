/** Entries that a folder gives at once. */
const entriesIn = (folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> => {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  return new Promise((resolve, reject) => {
    // A reader gives some at a time, and none at the end.
    const more = (): void =>
      reader.readEntries((some) => {
        if (some.length === 0) return resolve(all)
        all.push(...some)
        more()
      }, reject)
    more()
  })
}

const filesOf = async (entry: FileSystemEntry): Promise<File[]> => {
  if (entry.isFile)
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))]
  const inside = await entriesIn(entry as FileSystemDirectoryEntry)
  return (await Promise.all(inside.map(filesOf))).flat()
}

/** The files that were dropped, those in folders too. To be called while the event is handled. */
export const droppedFiles = async (transfer: DataTransfer | null): Promise<File[]> => {
  if (!transfer) return []
  const files = [...transfer.files]
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  if (!entries.some(({ isDirectory }) => isDirectory)) return files
  return (await Promise.all(entries.map(filesOf))).flat()
}
