//! The database of the index, in SQL that SQLite and PostgreSQL both know.

use std::path::Path;

use model::{Limits, Settings, TrialSpec};
use sqlx::any::{AnyConnectOptions, install_default_drivers};
use sqlx::{Any, AnyConnection, ConnectOptions, Connection};
use tokio::runtime::{Builder, Runtime};

use crate::index::Member;
use crate::index::row::{MEASURED, Row};
use crate::key::spec_key;

/// Another number, another database: it is made anew.
const SCHEMA: u32 = 1;

const TABLES: [&str; 3] = [
    "DROP TABLE IF EXISTS trials",
    "CREATE TABLE trials (
        id TEXT NOT NULL PRIMARY KEY,
        set_id TEXT NOT NULL,
        started TEXT NOT NULL,
        case_name TEXT NOT NULL,
        place TEXT NOT NULL,
        seed TEXT NOT NULL,
        kernel TEXT,
        outcome TEXT NOT NULL,
        spec_key TEXT NOT NULL,
        fingerprint_key TEXT NOT NULL,
        headline_wall_ns BIGINT
    )",
    "CREATE INDEX trials_by_keys ON trials (spec_key, fingerprint_key)",
];

const INSERT: &str = "INSERT INTO trials (id, set_id, started, case_name, place, seed, kernel, \
                      outcome, spec_key, fingerprint_key, headline_wall_ns) \
                      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
                      ON CONFLICT (id) DO NOTHING";

/// An open database with the tables of this version.
pub(crate) struct Database {
    runtime: Runtime,
    connection: AnyConnection,
}

/// Whether the database itself is at fault, so that making it anew helps.
pub(crate) fn is_damage(error: &sqlx::Error) -> bool {
    // SQLITE_ERROR (a table or column is not there), SQLITE_CORRUPT and SQLITE_NOTADB; see
    // https://sqlite.org/rescode.html. The lowest byte is the primary code.
    let is_ours = |code: u32| [1, 11, 26].contains(&(code & 0xff));
    match error {
        sqlx::Error::Database(said) => {
            said.code().and_then(|code| code.parse().ok()).is_some_and(is_ours)
        }
        sqlx::Error::ColumnDecode { .. } => true,
        _ => false,
    }
}

/// What the tables were made for: the schema, and how keys are made, which each new setting changes.
fn stamp() -> String {
    let plain = TrialSpec {
        case: String::new(),
        headline: String::new(),
        phases: Vec::new(),
        ffsb: None,
        include: Vec::new(),
        settings: Settings::default(),
        place: String::new(),
        seed: 0,
        limits: Limits::default(),
    };
    format!("{SCHEMA} {}", spec_key(&plain))
}

impl Database {
    /// Opens the database in that file, which is made if it is not there.
    pub(crate) fn open(file: &Path) -> sqlx::Result<Database> {
        install_default_drivers();
        // Escaped, no byte means anything to the URL's parser.
        let bytes = file.as_os_str().as_encoded_bytes();
        let path: String = bytes.iter().map(|byte| format!("%{byte:02X}")).collect();
        let options: AnyConnectOptions = format!("sqlite:{path}?mode=rwc").parse()?;
        let runtime = Builder::new_current_thread().build()?;
        let connection = runtime.block_on(options.connect())?;
        let mut database = Database { runtime, connection };
        database.runtime.block_on(make_tables(&mut database.connection))?;
        Ok(database)
    }

    /// The IDs of all trials, in no order.
    pub(crate) fn ids(&mut self) -> sqlx::Result<Vec<String>> {
        let query = sqlx::query_scalar("SELECT id FROM trials");
        self.runtime.block_on(query.fetch_all(&mut self.connection))
    }

    /// All trials with their sets, oldest first.
    pub(crate) fn members(&mut self) -> sqlx::Result<Vec<Member>> {
        let query = sqlx::query_as("SELECT id, set_id FROM trials ORDER BY id");
        let rows: Vec<(String, String)> =
            self.runtime.block_on(query.fetch_all(&mut self.connection))?;
        Ok(rows.into_iter().map(|(trial, set)| Member { trial, set }).collect())
    }

    /// The measured trials with those keys, newest first.
    pub(crate) fn measured(&mut self, spec: &str, on: &str) -> sqlx::Result<Vec<String>> {
        let query = sqlx::query_scalar(
            "SELECT id FROM trials WHERE spec_key = $1 AND fingerprint_key = $2 AND outcome = $3 \
             ORDER BY id DESC",
        );
        let query = query.bind(spec).bind(on).bind(MEASURED);
        self.runtime.block_on(query.fetch_all(&mut self.connection))
    }

    /// Drops and adds rows, all or none.
    pub(crate) fn change(&mut self, gone: &[String], new: &[Row]) -> sqlx::Result<()> {
        if gone.is_empty() && new.is_empty() {
            return Ok(());
        }
        self.runtime.block_on(change(&mut self.connection, gone, new))
    }
}

async fn make_tables(connection: &mut AnyConnection) -> sqlx::Result<()> {
    let stamp = stamp();
    // A name that is there already is no write.
    sqlx::query("CREATE TABLE IF NOT EXISTS about (stamp TEXT NOT NULL)")
        .execute(&mut *connection)
        .await?;
    if stamps(connection).await? == [stamp.as_str()] {
        return Ok(());
    }
    let mut transaction = connection.begin().await?;
    // The first statement writes: what follows is seen and done by one program at a time.
    sqlx::query("DELETE FROM about WHERE stamp <> $1")
        .bind(&stamp)
        .execute(&mut *transaction)
        .await?;
    if stamps(&mut transaction).await? != [stamp.as_str()] {
        for table in TABLES {
            sqlx::query(table).execute(&mut *transaction).await?;
        }
        sqlx::query("INSERT INTO about (stamp) VALUES ($1)")
            .bind(&stamp)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await
}

async fn stamps(connection: &mut AnyConnection) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar("SELECT stamp FROM about").fetch_all(connection).await
}

async fn change(connection: &mut AnyConnection, gone: &[String], new: &[Row]) -> sqlx::Result<()> {
    let mut transaction = connection.begin().await?;
    for id in gone {
        let query = sqlx::query("DELETE FROM trials WHERE id = $1").bind(id);
        query.execute(&mut *transaction).await?;
    }
    for row in new {
        insert(row).execute(&mut *transaction).await?;
    }
    transaction.commit().await
}

fn insert(row: &Row) -> sqlx::query::Query<'_, Any, <Any as sqlx::Database>::Arguments> {
    sqlx::query(INSERT)
        .bind(&row.id)
        .bind(&row.set_id)
        .bind(&row.started)
        .bind(&row.case_name)
        .bind(&row.place)
        .bind(&row.seed)
        .bind(&row.kernel)
        .bind(&row.outcome)
        .bind(&row.spec_key)
        .bind(&row.fingerprint_key)
        .bind(row.headline_wall_ns)
}
