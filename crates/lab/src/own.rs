//! A counting shader of the user's own, in place of a method's.
//!
//! It may be wrong in any way. Its text is parsed and checked before the adapter sees it, and every loop in it counts
//! its turns, so that one without an end is stopped: a software adapter cannot be reset, nor can every driver.

use std::error::Error;
use std::fmt;

use histoscope_render::gpu::resources::storage;
use histoscope_render::gpu::shaders::groups;
use histoscope_render::gpu::{Gpu, GpuError};
use wgpu::naga;

use naga::back::PipelineConstants;
use naga::back::pipeline_constants::process_overrides;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, BinaryOperator, Expression, Literal, Statement};
use naga::{Arena, Block, Function, GlobalVariable, Handle, Module, ResourceBinding, ShaderStage, Span};

/// The name of the entry point.
const ENTRY: &str = "count";
/// The group of the word that says that a loop was stopped. Group 0 belongs to the shader.
const STOPPED_GROUP: u32 = 1;
/// Most bytes of the variables of an invocation. A driver may crash on more.
const MAX_VARIABLES: u64 = 1 << 16;

/// A shader that was parsed and checked.
#[derive(Debug, Clone)]
pub struct OwnShader {
    name: String,
    module: Module,
    info: ModuleInfo,
}

/// What is wrong with a shader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnShaderError {
    /// Its name.
    pub name: String,
    /// The line in its text, from 1, if the fault has a place.
    pub line: Option<u32>,
    /// What is wrong, in one sentence.
    pub message: String,
}

impl Error for OwnShaderError {}

impl fmt::Display for OwnShaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}, line {line}: {}", self.name, self.message),
            None => write!(f, "{}: {}", self.name, self.message),
        }
    }
}

/// The pipelines of a shader, and the word that says that a loop was stopped.
#[derive(Debug)]
pub(super) struct OwnPipelines {
    pub(super) pipelines: Vec<wgpu::ComputePipeline>,
    /// One word, which is not 0 if a loop was stopped.
    pub(super) stopped: wgpu::Buffer,
    pub(super) group: wgpu::BindGroup,
    /// Invocations of a workgroup, across and down.
    pub(super) workgroup: (u32, u32),
}

impl OwnShader {
    /// Parses and checks a text in WGSL. `name` is used in errors.
    ///
    /// # Errors
    /// [`OwnShaderError`] if it is not a shader that could count.
    pub fn parse(name: &str, text: &str) -> Result<Self, OwnShaderError> {
        let wrong = |spans: &[Span], message: String| {
            let line = spans.iter().find(|span| span.is_defined()).map(|span| span.location(text).line_number);
            OwnShaderError { name: name.to_owned(), line, message: sentence(&message) }
        };
        let module = naga::front::wgsl::parse_str(text).map_err(|error| {
            wrong(&error.labels().map(|(span, _)| span).collect::<Vec<_>>(), error.message().to_owned())
        })?;
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        let info = validator.validate(&module).map_err(|error| {
            wrong(&error.spans().map(|(span, _)| *span).collect::<Vec<_>>(), innermost(error.as_inner()))
        })?;
        let is_entry = |point: &naga::EntryPoint| point.stage == ShaderStage::Compute && point.name == ENTRY;
        if !module.entry_points.iter().any(is_entry) {
            return Err(wrong(&[], format!("it has no function @compute fn {ENTRY}")));
        }
        for (handle, variable) in module.global_variables.iter() {
            let Some(ResourceBinding { group, binding }) = variable.binding else { continue };
            if group != 0 || binding as usize >= groups::IMAGE_BINS.bindings.len() {
                let told = format!(
                    "there is no @group({group}) @binding({binding}); group 0 has the image as binding 0 and the bins as \
                     binding 1"
                );
                return Err(wrong(&[module.global_variables.get_span(handle)], told));
            }
        }
        Ok(Self { name: name.to_owned(), module, info })
    }

    /// Returns the name for errors.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Creates a pipeline for each of these sets of constants, of which the shader gets those that it has. All loops of
    /// an invocation together take at most `turns` turns.
    ///
    /// Returns `Ok(Err)` with the reason if the adapter cannot run it.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub(super) fn pipelines(
        &self,
        gpu: &Gpu,
        constants: &[Vec<(&'static str, u32)>],
        turns: u32,
    ) -> Result<Result<OwnPipelines, String>, GpuError> {
        let wrong = |message: String| {
            Ok(Err(OwnShaderError { name: self.name.clone(), line: None, message: sentence(&message) }.to_string()))
        };
        let device = &gpu.device;
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let layouts = [&groups::IMAGE_BINS, &groups::LAB_STOPPED].map(|group| group.layout(device));
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(&self.name),
            bind_group_layouts: &layouts.each_ref().map(Some),
            immediate_size: 0,
        });
        let mut workgroup = (0, 0);
        let pipeline = |constants: &Vec<(&'static str, u32)>| {
            let module = self.with_constants(constants, device.limits().max_compute_workgroup_storage_size)?;
            workgroup =
                module.entry_points.first().map_or((0, 0), |point| (point.workgroup_size[0], point.workgroup_size[1]));
            let source = wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(with_counted_turns(module, turns)));
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(&self.name), source });
            Ok(device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(&self.name),
                layout: Some(&layout),
                module: &module,
                entry_point: Some(ENTRY),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            }))
        };
        let pipelines: Result<Vec<_>, String> = constants.iter().map(pipeline).collect();
        let faults = [pollster::block_on(internal.pop()), pollster::block_on(validation.pop())];
        gpu.check()?;
        let pipelines = match (pipelines, faults.iter().flatten().next()) {
            (Ok(pipelines), None) => pipelines,
            (Ok(_), Some(error)) => return wrong(innermost(error)),
            (Err(why), _) => return wrong(why),
        };
        let stopped = storage(device, "stopped", 1);
        let group = groups::LAB_STOPPED.bind(device, &[&stopped]);
        Ok(Ok(OwnPipelines { pipelines, stopped, group, workgroup }))
    }

    /// Returns the part of the module that the entry point needs, with these constants, or the reason why a workgroup
    /// with this memory cannot run it.
    fn with_constants(&self, constants: &[(&'static str, u32)], memory: u32) -> Result<Module, String> {
        let has = |name: &str| self.module.overrides.iter().any(|(_, own)| own.name.as_deref() == Some(name));
        let known = constants.iter().filter(|(name, _)| has(name));
        let known: PipelineConstants = known.map(|&(name, value)| (name.to_owned(), f64::from(value))).collect();
        let (module, _) = process_overrides(&self.module, &self.info, Some((ShaderStage::Compute, ENTRY)), &known)
            .map_err(|error| innermost(&error))?;
        let bytes =
            |ty: Handle<naga::Type>| module.types[ty].inner.try_size(module.to_ctx()).map_or(u64::MAX, u64::from);
        let of_space = |space| {
            let all = module.global_variables.iter().filter(move |(_, variable)| variable.space == space);
            all.fold(0, |sum: u64, (_, variable)| sum.saturating_add(bytes(variable.ty)))
        };
        let functions = module.functions.iter().map(|(_, function)| function);
        let functions = functions.chain(module.entry_points.iter().map(|point| &point.function));
        let locals = functions.flat_map(|function| function.local_variables.iter().map(|(_, variable)| variable.ty));
        let own = locals.fold(of_space(AddressSpace::Private), |sum, ty| sum.saturating_add(bytes(ty)));
        for (what, bytes, most) in [
            ("the variables of a workgroup", of_space(AddressSpace::WorkGroup), u64::from(memory)),
            ("the variables of an invocation", own, MAX_VARIABLES),
        ] {
            if bytes > most {
                return Err(format!("{what} take {bytes} bytes, of at most {most}"));
            }
        }
        Ok(module.into_owned())
    }
}

/// Returns the first line of a message, without the numbers of expressions and types in brackets, which mean nothing to
/// users.
fn sentence(message: &str) -> String {
    let is_number = |word: &&str| {
        let inside = word.strip_prefix('[').and_then(|word| word.strip_suffix(']'));
        inside.is_some_and(|inside| !inside.is_empty() && inside.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let words = message.lines().next().unwrap_or_default().split(' ');
    words.filter(|word| !is_number(word)).collect::<Vec<_>>().join(" ")
}

/// Returns the cause of an error that has no further cause.
fn innermost(error: &dyn Error) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}

/// The variables that count the turns of loops.
struct Turns {
    /// The turns that the invocation has taken.
    taken: Handle<GlobalVariable>,
    /// Not 0 once an invocation has been stopped.
    stopped: Handle<GlobalVariable>,
    most: u32,
}

/// Returns the same shader, in which each invocation counts the turns of its loops. When it has taken `most`, it sets
/// the word of [`STOPPED_GROUP`] and leaves them. Invocations that start later leave theirs at once.
fn with_counted_turns(mut module: Module, most: u32) -> Module {
    let scalar = naga::Type { name: None, inner: naga::TypeInner::Scalar(naga::Scalar::U32) };
    let ty = module.types.insert(scalar, Span::UNDEFINED);
    let mut variable = |name: &str, space, binding| {
        let memory_decorations = naga::MemoryDecorations::empty();
        let variable =
            GlobalVariable { name: Some(name.to_owned()), space, binding, ty, init: None, memory_decorations };
        module.global_variables.append(variable, Span::UNDEFINED)
    };
    let access = naga::StorageAccess::LOAD | naga::StorageAccess::STORE;
    let turns = Turns {
        taken: variable("turns_taken", AddressSpace::Private, None),
        stopped: variable(
            "turns_stopped",
            AddressSpace::Storage { access },
            Some(ResourceBinding { group: STOPPED_GROUP, binding: 0 }),
        ),
        most,
    };
    for (_, function) in module.functions.iter_mut() {
        turns.count_in(&mut function.body, &mut function.expressions);
    }
    for point in &mut module.entry_points {
        turns.count_in(&mut point.function.body, &mut point.function.expressions);
        turns.begin(&mut point.function);
    }
    module
}

impl Turns {
    /// Makes an entry point begin with as many turns as it may take, if an invocation has been stopped before.
    fn begin(&self, function: &mut Function) {
        let all = &mut function.expressions;
        let mut add = |expression| all.append(expression, Span::UNDEFINED);
        let taken = add(Expression::GlobalVariable(self.taken));
        let stopped = add(Expression::GlobalVariable(self.stopped));
        let most = add(Expression::Literal(Literal::U32(self.most)));
        let load = add(Expression::Load { pointer: stopped });
        let value = add(Expression::Binary { op: BinaryOperator::Multiply, left: load, right: most });
        let first =
            [Statement::Emit(naga::Range::new_from_bounds(load, value)), Statement::Store { pointer: taken, value }];
        function.body.splice(0..0, Block::from_vec(first.into()));
    }

    /// Counts the turns of all loops in a block.
    fn count_in(&self, block: &mut Block, all: &mut Arena<Expression>) {
        for statement in block.iter_mut() {
            match statement {
                Statement::Block(inner) => self.count_in(inner, all),
                Statement::If { accept, reject, .. } => {
                    self.count_in(accept, all);
                    self.count_in(reject, all);
                }
                Statement::Switch { cases, .. } => {
                    cases.iter_mut().for_each(|case| self.count_in(&mut case.body, all));
                }
                Statement::Loop { body, continuing, .. } => {
                    self.count_in(body, all);
                    self.count_in(continuing, all);
                    body.splice(0..0, self.turn(all));
                }
                _ => {}
            }
        }
    }

    /// Returns the statements that count a turn, and leave the loop if it is one too many.
    fn turn(&self, all: &mut Arena<Expression>) -> Block {
        let mut add = |expression| all.append(expression, Span::UNDEFINED);
        let pointer = add(Expression::GlobalVariable(self.taken));
        let stopped = add(Expression::GlobalVariable(self.stopped));
        let most = add(Expression::Literal(Literal::U32(self.most)));
        let one = add(Expression::Literal(Literal::U32(1)));
        let taken = add(Expression::Load { pointer });
        let next = add(Expression::Binary { op: BinaryOperator::Add, left: taken, right: one });
        let is_last = add(Expression::Binary { op: BinaryOperator::GreaterEqual, left: taken, right: most });
        let leave = vec![Statement::Store { pointer: stopped, value: one }, Statement::Break];
        Block::from_vec(vec![
            Statement::Emit(naga::Range::new_from_bounds(taken, is_last)),
            Statement::If { condition: is_last, accept: Block::from_vec(leave), reject: Block::new() },
            Statement::Store { pointer, value: next },
        ])
    }
}
