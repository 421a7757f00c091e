/** The embedded database passes the suite that any other one would have to pass. */
import { storeConforms } from "./conformance.fixture.ts";
import { openStore } from "./sqlite-store.ts";

storeConforms("SQLite", openStore);
