/** Downloads an address. The server names the file unless a name is given. */
export const download = (address: string, name: string): void => {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
}
