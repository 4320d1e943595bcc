// Starts the worker where the site is served. Where it is read from disk, disk.js stands in for this file.

export const openWorker = () => new Worker(new URL("./worker.js", import.meta.url))
